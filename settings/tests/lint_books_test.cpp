// Files that would post the same money under two keys: a gateway and its provider, and a
// provider file and what its provider has posted.
#include <gtest/gtest.h>

#include "settings/tests/config_folder.hpp"

namespace pawl::app::test {
namespace {

class LintBooks : public ::testing::Test {
  protected:
    LintBooks() { folder.variables["STRIPE_SECRET"] = "whsec_unit_secret"; }
    std::string errors(const std::string& provider, const std::string& gateway) {
        folder.write("providers/stripe.toml", provider);
        folder.write("gateways/stripe.toml", gateway);
        return folder.linted(Severity::error);
    }
    ConfigFolder folder;
};

TEST_F(LintBooks, a_gateway_and_its_provider_have_one_name_for_their_books) {
    EXPECT_EQ(errors(stripe_provider, stripe_gateway), "");
    const std::string other = errors(stripe_provider, "books = \"elsewhere\"\n" + stripe_gateway);
    EXPECT_NE(
        other.find("gateway \"stripe\" has the books \"elsewhere\", and no provider file has"),
        std::string::npos)
        << other;
    // Another provider has these books, and receives nothing of this gateway.
    for (const char* provider : {"", "books = \"shop\"\n"}) {
        const std::string crossed =
            errors(provider + stripe_provider, "books = \"demo\"\n" + stripe_gateway);
        EXPECT_NE(
            crossed.find("gateways/stripe.toml:1:1: gateway \"stripe\" has the books \"demo\""),
            std::string::npos)
            << crossed;
    }
    const std::string shared = "books = \"shop\"\n";
    EXPECT_EQ(errors(shared + stripe_provider, shared + stripe_gateway), "");
}

TEST_F(LintBooks, a_rule_posts_what_the_gateway_posts_under_its_kind_of_key) {
    for (const char* kind : {"charge", "payment", "payin"}) {
        const std::string key = "[\"" + std::string(kind) + "\", \"/data/object/id\"]";
        const std::string found = errors(
            replaced(stripe_provider, "[\"capture\", \"/data/object/id\"]", key), stripe_gateway);
        EXPECT_NE(found.find("the effect_key begins with \"" + std::string(kind) +
                             "\", and gateway \"stripe\" posts \"capture\""),
                  std::string::npos)
            << found;
    }
    const std::string debit = stripe_provider + R"([[rule]]
when = "refund.created"
effect = "debit"
account = "needs"
amount = "/data/object/amount"
currency = "/data/object/currency"
effect_key = ["money_back", "/data/object/id"]
needs = ["capture", "/data/object/payment_intent"]
)";
    EXPECT_NE(errors(debit, stripe_gateway).find("begins with \"money_back\""), std::string::npos);
}

TEST_F(LintBooks, captures_are_reported_in_a_shape_that_the_gateway_knows) {
    const std::string ids =
        replaced(replaced(replaced(stripe_provider, "captures = \"total\"", "captures = \"ids\""),
                          "amount_is = \"total\"\n", ""),
                 "[\"capture\", \"/data/object/id\"]",
                 "[\"capture\", \"/data/object/id\", \"/data/object/latest_charge\"]");
    EXPECT_NE(errors(ids, stripe_gateway).find("captures is \"ids\""), std::string::npos);
}

class LintShapes : public ::testing::Test {
  protected:
    std::string found(Severity severity, const std::vector<providers::KeyShape>& stored) {
        std::vector<PostedShape> shapes = {
            {"another", {R"(["x", "y", "/z"])", "credit delta minor"}}};
        for (const auto& one : stored) shapes.emplace_back("demo", one);
        return folder.sentences(lint_shapes(folder.load().settings, shapes), severity);
    }
    const providers::KeyShape posted{R"(["demo", "capture", "/payment_id"])", "credit delta minor"};
    ConfigFolder folder;
};

TEST_F(LintShapes, a_key_that_has_posted_is_in_the_file_or_in_formerly) {
    EXPECT_EQ(found(Severity::error, {posted}), "");
    const std::string key = R"(effect_key = ["capture", "/payment_id"])";
    const std::string changes[][2] = {
        {key, R"(effect_key = ["charge", "/payment_id"])"},
        {key, R"(effect_key = ["capture", "/id"])"},
        {key, R"(effect_key = ["capture", {at = "/payment_id", optional = true}])"},
        {"name = \"demo\"", "name = \"demo\"\nbooks = \"demo2\""},
    };
    for (const auto& [from, to] : changes) {
        folder.spoil(from, to);
        const std::string error = found(Severity::error, {posted});
        EXPECT_TRUE(error.starts_with("providers/demo.toml:1")) << to << error;
        EXPECT_NE(error.find("provider \"demo\" has posted under [\"demo\", \"capture\", "
                             "\"/payment_id\"], and no rule has this key now"),
                  std::string::npos)
            << error;
        const std::string formerly = R"(formerly = [["demo", "capture", "/payment_id"]])";
        EXPECT_NE(error.find("add " + formerly), std::string::npos) << error;
        folder.write("providers/demo.toml",
                     replaced(replaced(good_provider, from, to), "currency = \"/currency\"",
                              "currency = \"/currency\"\n" + formerly));
        EXPECT_EQ(found(Severity::error, {posted}), "") << to;
    }
    folder.spoil("name = \"demo\"", "name = \"demo\"\nbooks = \"demo\"");
    EXPECT_EQ(found(Severity::error, {posted}), "") << "the default, spelled out";
}

TEST_F(LintShapes, a_rule_that_reads_amounts_in_another_way_is_a_warning) {
    EXPECT_EQ(found(Severity::warning, {posted}), "");
    folder.spoil("effect = \"credit\"", "effect = \"credit\"\nunit = \"major\"");
    EXPECT_EQ(found(Severity::error, {posted}), "");
    const std::string warning = found(Severity::warning, {posted});
    EXPECT_NE(warning.find("this rule reads \"credit delta major\", and under its key \"demo\" has "
                           "posted \"credit delta minor\""),
              std::string::npos)
        << warning;
    const providers::KeyShape corrected{posted.key, "credit delta major"};
    EXPECT_EQ(found(Severity::warning, {posted, corrected}), "") << "it has posted so, too";
}

TEST_F(LintShapes, formerly_is_refused_where_it_cannot_be_meant) {
    const std::string cases[][2] = {
        {R"(formerly = [["capture", "/payment_id"]])", "with their books first"},
        {R"(formerly = [["demo", "/payment_id", "/id"]])", "must start with a word for its kind"},
        {R"(formerly = "demo")", "\"formerly\""},
    };
    for (const auto& [line, part] : cases) {
        folder.spoil("currency = \"/currency\"", "currency = \"/currency\"\n" + line);
        const Loaded loaded = folder.load();
        const std::string all = folder.sentences(loaded.findings, Severity::error) +
                                folder.sentences(lint(loaded.settings), Severity::error);
        EXPECT_NE(all.find(part), std::string::npos) << line << "\n" << all;
    }
}

}  // namespace
}  // namespace pawl::app::test
