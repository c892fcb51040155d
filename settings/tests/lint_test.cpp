// Configurations that load, and that a linter must not let pass.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "settings/files.hpp"
#include "settings/tests/config_folder.hpp"

namespace pawl::app::test {
namespace {

struct Unwise {
    const char* name;
    const char* from;
    const char* to;
    Severity severity;
    const char* says;
};

class UnwiseProvider : public testing::TestWithParam<Unwise> {};

TEST_P(UnwiseProvider, IsAWarning) {
    const ConfigFolder folder;
    folder.spoil(GetParam().from, GetParam().to);
    EXPECT_EQ(folder.linted(GetParam().severity), GetParam().says);
}

constexpr const char* amount = "amount = \"/amount\"";
constexpr const char* key = "[\"capture\", \"/payment_id\"]";
constexpr const char* scheme = "scheme = \"standard-webhooks\"";
constexpr const char* catch_all = "[[rule]]\nwhen = \"*\"\neffect = \"ignore\"\n";

const Unwise errors[] = {
    {"retention_below_the_floor", "\"forever\"", "\"5d\"", Severity::error,
     "providers/demo.toml:5:1: retention 5d is less than twice the retry_window 3d (a late "
     "redelivery would be taken for a new event); write \"forever\", or \"6d\" at least"},
    {"strict_credit", amount, "amount = \"/amount\"\norder = \"strict\"", Severity::error,
     "providers/demo.toml:16:1: a credit with order = \"strict\" loses money (one that arrives "
     "after a newer one is dropped as stale); write \"late_ok\", or \"hold\" where the sequence is "
     "dense"},
    {"set_balance_not_strict", "effect = \"credit\"", "effect = \"set_balance\"", Severity::error,
     "providers/demo.toml:11:1: set_balance without order = \"strict\" (an old balance that "
     "arrives late would overwrite a newer one); write order = \"strict\"\n"
     "providers/demo.toml:17:1: set_balance without the sequence in its effect_key (the second "
     "balance of an account would be taken for the first again); add \"/sequence\" to effect_key"},
    {"unsigned_header_in_the_key", key, "[\"capture\", \"header:X-Event-Id\"]", Severity::error,
     "providers/demo.toml:17:1: effect_key is read from the unsigned header X-Event-Id (a sender "
     "that "
     "replays a genuine body can put anything there); read it from the body"},
    {"account_from_an_unsigned_header", "account = \"/account\"", "account = \"header:X-Account\"",
     Severity::error,
     "providers/demo.toml:14:1: account is read from the unsigned header X-Account (a sender that "
     "replays a genuine body can put anything there); read it from the body"},
    {"key_without_a_variable", key, "[\"capture\"]", Severity::error,
     "providers/demo.toml:17:1: the effect_key is the same for every event (only the first would "
     "ever be posted); add a field that differs, like \"/payment_id\""},
    {"key_of_the_amount_alone", key, "[\"capture\", \"/amount\"]", Severity::error,
     "providers/demo.toml:17:1: the effect_key varies with account, amount and currency only (the "
     "second payment of an equal amount would be taken for the first again); add the payment's id, "
     "like \"/payment_id\""},
    {"key_of_account_and_currency", key, "[\"capture\", \"/account\", \"/currency\"]",
     Severity::error,
     "providers/demo.toml:17:1: the effect_key varies with account, amount and currency only (the "
     "second payment of an equal amount would be taken for the first again); add the payment's id, "
     "like \"/payment_id\""},
    {"amount_and_sequence_of_one_field", amount, "amount = \"/sequence\"", Severity::error,
     "providers/demo.toml:15:1: amount and sequence are read from one field (one of the two would "
     "be wrong); name the field of each"},
    {"event_id_of_the_type", "event_id = \"/id\"", "event_id = \"/type\"", Severity::error,
     "providers/demo.toml:7:1: event_id and type are read from one field (the second event of a "
     "type would be taken for a redelivery); name the field that holds the event's id"},
    {"when_with_a_blank_at_its_end", "\"payment.captured\"", "\"payment.captured \"",
     Severity::error,
     "providers/demo.toml:12:1: \"when\" begins or ends with white space (no event type does, and "
     "the rule would match none); remove it"},
    {"credit_after_catch_all", "[[rule]]\nwhen = \"payment.captured\"",
     "[[rule]]\nwhen = \"pay*\"\neffect = \"ignore\"\n[[rule]]\nwhen = \"payment.captured\"",
     Severity::error,
     "providers/demo.toml:15:1: rule 2 (\"payment.captured\") is never reached (rule 1 (\"pay*\") "
     "matches first); move it up: the first rule that matches decides"},
    {"refund_keyed_like_its_capture", "[[rule]]\nwhen = \"*\"\neffect = \"ignore\"",
     "[[rule]]\nwhen = \"refund\"\neffect = \"debit\"\naccount = \"/account\"\namount = "
     "\"/amount\"\ncurrency = \"/currency\"\neffect_key = [\"capture\", \"/payment_id\"]",
     Severity::error,
     "providers/demo.toml:24:1: a credit and a debit have one effect_key (whichever comes second "
     "would not be posted); begin it with another word, like [\"refund\", ...]"},
    {"amount_is_no_pointer", "\"/amount\"", "\"amount\"", Severity::error,
     "providers/demo.toml:15:1: the amount is not a pointer (every event would move the same "
     "text); "
     "write it like \"/amount\""},
    {"token_preset_moves_money", scheme, "scheme = \"xendit\"", Severity::error,
     "providers/demo.toml:11:1: rule \"payment.captured\" moves money on what no signature covers "
     "(a sender that learns the token can name any amount); write confirm = \"fetch\", or trust = "
     "\"transport\" if the network is proof enough"},
    {"token_that_claims_the_body", scheme,
     "scheme = {alg = \"token\", source = \"header:X-Token\"}", Severity::error,
     "providers/demo.toml:2:1: a token is said to cover the body (it is the same for every body); "
     "write covers = \"none\""},
    {"shared_key_without_expect", scheme, "scheme = \"wise\"", Severity::error,
     "providers/demo.toml:6:2: [read] expects nothing, though wise uses one key for all of its "
     "customers (another customer's event would be taken for yours); add expect = {\"/pointer\" = "
     "[\"your id\"]}"},
    {"square_without_url", scheme, "scheme = \"square\"", Severity::error,
     "providers/demo.toml:2:1: square signs the URL, but the file has no url (what a proxy makes "
     "of it is not what was signed); write url = \"https://...\" as it is registered there"},
    {"hold_without_sequence", "sequence = \"/sequence\"\n[[rule]]", "[[rule]]\norder = \"hold\"",
     Severity::error,
     "providers/demo.toml:11:1: order = \"hold\" without a sequence (there is nothing to order "
     "by); add sequence = \"/pointer\" to [read]"},
};

const Unwise softer[] = {
    {"no_catch_all", catch_all, "", Severity::note,
     "providers/demo.toml:11:3: provider \"demo\" has no rule for \"*\" (events that no rule "
     "matches are quarantined no_rule and wait for an operator); add one with effect = \"ignore\" "
     "if "
     "that is not meant"},
    {"unknown_job", amount, "amount = \"/amount\"\njobs = [\"notfy\"]", Severity::note,
     "providers/demo.toml:16:1: no job kind \"notfy\" is built in (such jobs wait until a worker "
     "that knows them runs); check the spelling"},
    {"key_without_a_kind", key, "[\"/payment_id\"]", Severity::error,
     "providers/demo.toml:17:1: the effect_key does not begin with a kind (a capture and a refund "
     "of one payment would share it); put a word first, like [\"capture\", \"/payment_id\"]"},
    {"window_shorter_than_published", "scheme = \"standard-webhooks\"", "scheme = \"adyen\"",
     Severity::warning,
     "providers/demo.toml:4:1: retry_window 3d is shorter than adyen redelivers (30d) (the floor "
     "for retention is reckoned from it); write \"30d\""},
    {"minor_units_from_a_sender_of_major_ones", scheme, "scheme = \"mollie\"", Severity::warning,
     "providers/demo.toml:11:1: mollie writes amounts in major units (read otherwise they are "
     "wrong by a factor of 100); write unit = \"major\""},
    {"money_for_every_event", "payment.captured", "*", Severity::warning,
     "providers/demo.toml:13:1: a rule for every event is a credit (event types that do not exist "
     "yet would move money); name the types that do\n"
     "providers/demo.toml:19:1: rule 2 (\"*\") is never reached (rule 1 (\"*\") matches first); "
     "move it up: the first rule that matches decides"},
    {"signed_header_in_the_key", key, "[\"capture\", \"header:webhook-id\"]", Severity::error, ""},
    {"key_of_the_events_own_id", key, "[\"capture\", \"/id\"]", Severity::warning,
     "providers/demo.toml:17:1: the effect_key varies with the event's own id only (two events of "
     "one payment would both be posted); write the payment's id, like \"/payment_id\""},
    {"key_of_a_payment_and_the_events_id", key, "[\"capture\", \"/payment_id\", \"/id\"]",
     Severity::warning, ""},
    {"nothing_wrong", amount, amount, Severity::warning, ""},
};

const auto case_name = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(errors, UnwiseProvider, testing::ValuesIn(errors), case_name);
INSTANTIATE_TEST_SUITE_P(softer, UnwiseProvider, testing::ValuesIn(softer), case_name);

TEST(Lint, ASharedSecretUnderTwoBooksIsAnError) {
    const ConfigFolder folder;
    const std::string twin = replaced(good_provider, "name = \"demo\"", "name = \"twin\"");
    folder.write("providers/twin.toml", twin);
    EXPECT_EQ(folder.linted(Severity::error),
              "providers/twin.toml:3:1: provider \"twin\" shares a secret with \"demo\", under "
              "other books (one genuine delivery, sent to both, would be credited twice); give "
              "both the same books, or each its own secret (providers/demo.toml:3:1)");
    folder.write("providers/twin.toml", "books = \"demo\"\n" + twin);
    EXPECT_EQ(folder.linted(Severity::error), "");
}

TEST(Books, ReservedOrOfAnotherFormAreRefused) {
    for (const char* books : {"operator", "reversal", "payment", "demo:eu", "demo/eu", "demo@1"}) {
        ConfigFolder folder;
        folder.write("providers/demo.toml",
                     "books = \"" + std::string(books) + "\"\n" + good_provider);
        EXPECT_TRUE(folder.errors().starts_with("providers/demo.toml:1:1: \"books\" "))
            << folder.errors();
    }
    ConfigFolder folder;
    folder.spoil("name = \"demo\"", "name = \"operator\"");
    EXPECT_NE(folder.errors().find("reserved"), std::string::npos) << folder.errors();
    folder.spoil("name = \"demo\"", "name = \"demo\"");
    folder.variables["KEY"] = "sk_test_51HxYzTestKeyOfNoAccount";
    const std::string gateway =
        "kind = \"stripe\"\nbase_url = \"https://api.stripe.com\"\napi_key = \"${env:KEY}\"\n"
        "key_horizon = \"24h\"\nname = \"shop\"\n";
    for (const char* books : {"operator", "demo:eu"}) {
        folder.write("gateways/shop.toml", "books = \"" + std::string(books) + "\"\n" + gateway);
        EXPECT_TRUE(folder.errors().starts_with("gateways/shop.toml:1:1: \"books\" "))
            << folder.errors();
    }
}

TEST(EffectKey, OfAKindThatIsReservedIsRefused) {
    for (const char* kind : {"operator", "reversal", "payment"}) {
        const ConfigFolder folder;
        folder.spoil("[\"capture\"", "[\"" + std::string(kind) + "\"");
        EXPECT_NE(folder.linted(Severity::error).find("reserved"), std::string::npos) << kind;
    }
}

TEST(Lint, ARuleWithWhereLeavesTheOthersWithinReachAndIsShadowedItself) {
    const ConfigFolder folder;
    folder.spoil("[[rule]]\nwhen = \"payment.captured\"",
                 "[[rule]]\nwhen = \"pay*\"\nwhere = {\"/test\" = [\"true\"]}\neffect = "
                 "\"ignore\"\n[[rule]]\nwhen = \"payment.captured\"");
    EXPECT_EQ(folder.linted(Severity::error), "");
    folder.write("providers/demo.toml",
                 replaced(good_provider, "when = \"*\"",
                          "when = \"payment.captured\"\nwhere = {\"/test\" = \"true\"}"));
    EXPECT_NE(folder.linted(Severity::warning)
                  .find("rule 2 (\"payment.captured\") is never "
                        "reached"),
              std::string::npos);
}

// `[]` means absent, and no rule in between gets those events.
TEST(Lint, ARuleThatRequiresAnAbsenceIsReachedBehindOneForEverything) {
    const ConfigFolder folder;
    const std::string demanding = "when = \"payment.captured\"\nwhere = {\"/test\" = [\"true\"]}";
    const std::string absent = "[[rule]]\nwhen = \"payment.captured\"\nwhere = {\"/test\" = []}\n";
    const std::string with_both =
        replaced(good_provider, "when = \"payment.captured\"", demanding) + absent;
    folder.write("providers/demo.toml", with_both + "effect = \"ignore\"\n");
    EXPECT_EQ(folder.linted(Severity::error) + folder.linted(Severity::warning), "");
    folder.write("providers/demo.toml", good_provider + absent + "effect = \"ignore\"\n");
    EXPECT_NE(folder.linted(Severity::warning).find("is never reached"), std::string::npos);
}

TEST(Lint, ErrorsOfTheProviderAreFoundWithoutStarting) {
    ConfigFolder folder;
    folder.variables["DEMO_SECRET"] = "whsec_not base64";
    EXPECT_EQ(folder.linted(Severity::error),
              "providers/demo.toml:3:1: secret 1 is not base64 (variable DEMO_SECRET); copy the "
              "webhook's secret from demo into it");
    folder.variables["DEMO_SECRET"] = "whsec_c29tZSBzZWNyZXQgb2YgdGhlIHRlc3QncyBvd24=";
    folder.spoil("\"/account\"", "\"/acc~2ount\"");
    const std::string said = folder.linted(Severity::error);
    EXPECT_TRUE(said.starts_with("providers/demo.toml:11:1: rule 1")) << said;
}

TEST(Lint, ASecretThatWasCopiedWronglyIsNamedByItsVariableAndNotShown) {
    const std::pair<const char*, const char*> cases[] = {
        {"sk_test_hunter2hunter2", "does not begin with whsec_"},
        {"whsec_hunter2hunter2 ", "begins or ends with white space"},
        {"\nwhsec_hunter2hunter2", "begins or ends with white space"},
        {"whsec_hunter2\x1bhunter2", "has a control character"},
    };
    ConfigFolder folder;
    folder.spoil("\"standard-webhooks\"\nsecrets = [\"${env:DEMO_SECRET}\"]",
                 "\"stripe\"\nsecrets = [\"whsec_of_this_test\", \"${env:DEMO_SECRET}\"]");
    for (const auto& [secret, fault] : cases) {
        folder.variables["DEMO_SECRET"] = secret;
        EXPECT_EQ(folder.linted(Severity::error),
                  std::string("providers/demo.toml:3:1: secret 2 ") + fault +
                      " (variable DEMO_SECRET); copy the webhook's secret from demo into it");
    }
    folder.variables["DEMO_SECRET"] = "whsec_hunter2hunter2";
    EXPECT_EQ(folder.linted(Severity::error), "");
}

TEST(Lint, AnOpenAdminListenerIsAWarning) {
    ConfigFolder folder;
    folder.variables["PAWL_ADMIN_LISTEN"] = "0.0.0.0:8081";
    EXPECT_EQ(folder.linted(Severity::warning),
              "PAWL_ADMIN_LISTEN: the admin listener is open to the network at 0.0.0.0:8081 "
              "(the admin API and the metrics are served there); listen on 127.0.0.1, or "
              "let a firewall see to it");
}

// A refund that needs what no rule posts would be parked until it is quarantined.
TEST(Lint, ANeedThatNoRulePostsIsAWarning) {
    const std::string refund =
        "[[rule]]\nwhen = \"payment.refunded\"\neffect = \"debit\"\naccount = \"/account\"\n"
        "amount = \"/amount\"\ncurrency = \"/currency\"\neffect_key = [\"refund\", \"/id\"]\n"
        "needs = [\"{}\", \"/payment_id\"]\n";
    const auto warned = [&](const std::string& need) {
        const ConfigFolder folder;
        folder.spoil("[[rule]]\nwhen = \"*\"",
                     replaced(refund, "{}", need) + "[[rule]]\nwhen = \"*\"");
        const std::string found = folder.linted(Severity::warning);
        return found.find("no rule of the books") == found.npos ? "" : found;
    };
    EXPECT_EQ(warned("capture"), "");
    EXPECT_NE(warned("captures")
                  .find("needs \"captures\", and no rule of the books \"demo\" posts "
                        "that (its events would be parked until the deadline, and "
                        "then quarantined); did you mean \"capture\"?"),
              std::string::npos)
        << warned("captures");
    EXPECT_NE(warned("authorization"), "");
}

TEST(Lint, AStatementThatOutlastsTheAnswerIsAWarning) {
    ConfigFolder folder;
    folder.write("pawl.toml", "[database]\nstatement_timeout = \"10s\"\n");
    EXPECT_EQ(folder.linted(Severity::warning),
              "pawl.toml:2:1: statement_timeout (10s) is not shorter than answer_timeout (1500ms) "
              "(one slow statement would hold up deliveries until they are answered 503); make "
              "statement_timeout shorter");
    folder.write("pawl.toml", "[database]\nstatement_timeout = \"1400ms\"\n");
    EXPECT_EQ(folder.linted(Severity::warning), "");
}

TEST(Lint, AShortTokenIsAnErrorThatNamesItsVariable) {
    ConfigFolder folder;
    for (const char* name : {"PAWL_ADMIN_TOKEN", "PAWL_API_TOKEN"}) {
        folder.variables[name] = "adm";
        EXPECT_EQ(folder.linted(Severity::error),
                  std::string(name) +
                      ": the token has 3 characters (short ones are guessed); use at least 24, for "
                      "example from `openssl rand -hex 32`");
        folder.variables[name] = "twenty-four characters..";
        EXPECT_EQ(folder.linted(Severity::error), "");
    }
}

TEST(Lint, DevelopmentOnAnOpenPublicListenerIsAnError) {
    ConfigFolder folder;
    for (const char* open : {"0.0.0.0:8080", "192.0.2.1:8080", "[::]:8080"}) {
        folder.variables["PAWL_LISTEN"] = open;
        const Findings found = lint(folder.load(true).settings);
        EXPECT_EQ(folder.sentences(found, Severity::error),
                  fmt::format("PAWL_LISTEN: --dev accepts published secrets, and the public "
                              "listener is open to the network at {} (any host there could post "
                              "money); listen on 127.0.0.1, or set the secrets and start without "
                              "--dev",
                              open));
        EXPECT_FALSE(has_errors(lint(folder.load(false).settings)));
    }
    for (const char* private_one : {"127.0.0.1:8080", "[::1]:8080"}) {
        folder.variables["PAWL_LISTEN"] = private_one;
        EXPECT_FALSE(has_errors(lint(folder.load(true).settings))) << private_one;
    }
}

}  // namespace
}  // namespace pawl::app::test
