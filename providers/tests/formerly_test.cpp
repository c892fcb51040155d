// Keys that a rule had in earlier versions of its file, and the shapes that a file is compared by.
#include "providers/key_shape.hpp"
#include "providers/tests/sample.hpp"

namespace pawl::providers {
namespace {

const std::vector<ReadParts> as_charge = {{{"old"}, {"charge"}, {"/payment_id"}}};

ProviderConfig with_refunds(std::vector<ReadParts> formerly) {
    ProviderConfig config = sample::demo();
    RuleConfig refund = sample::credit_rule();
    refund.when = "refunded";
    refund.action = Action::debit;
    refund.effect_key = {{"refund"}, {"/id"}};
    refund.needs = {{{"capture"}, {"/payment_id"}}};
    config.rules[0].formerly = std::move(formerly);
    config.rules.insert(config.rules.begin(), refund);
    return config;
}

std::string shown(const Event& event) {
    std::string text;
    for (const FormerKey& one : event.formerly) {
        text += (text.empty() ? "" : ", ") + one.key.str() + " was " + one.former.str();
    }
    return text;
}

TEST(Formerly, an_event_has_the_keys_that_earlier_rules_would_have_given_it) {
    const auto config = with_refunds(as_charge);
    EXPECT_EQ(shown(sample::read(config, sample::captured)),
              "demo/capture/pay_1 was old/charge/pay_1");
    const auto refunded = sample::with(sample::captured, "payment.captured", "refunded");
    EXPECT_EQ(shown(sample::read(config, refunded)), "demo/capture/pay_1 was old/charge/pay_1")
        << "its need may have been posted under the earlier kind";
    ProviderConfig of_test_mode = config;
    of_test_mode.mode = Mode::test;
    EXPECT_EQ(shown(sample::read(of_test_mode, sample::captured)),
              "demo-test/capture/pay_1 was old-test/charge/pay_1");
    EXPECT_EQ(shown(sample::read(with_refunds({}), sample::captured)), "");
}

TEST(Formerly, a_key_that_cannot_be_read_or_is_the_present_one_is_none) {
    const std::vector<ReadParts> formerly = {{{"demo"}, {"capture"}, {"/gone"}},
                                             {{"demo"}, {"capture"}, {"/payment_id"}}};
    const Event event = sample::read(with_refunds(formerly), sample::captured);
    EXPECT_EQ(shown(event), "");
    EXPECT_EQ(event.quarantine, "");
}

TEST(Formerly, a_former_key_takes_the_place_of_the_present_one) {
    Event event = sample::read(with_refunds(as_charge), sample::captured);
    use_former(event, event.formerly.at(0));
    EXPECT_EQ(event.movements.at(0).effect_key.str(), "old/charge/pay_1");
    Event refund = sample::read(with_refunds(as_charge),
                                sample::with(sample::captured, "payment.captured", "refunded"));
    use_former(refund, refund.formerly.at(0));
    EXPECT_EQ(refund.needs.at(0).str(), "old/charge/pay_1");
    EXPECT_EQ(refund.movements.at(0).effect_key.str(), "demo/refund/evt_1");
}

TEST(Formerly, each_movement_has_its_own) {
    ProviderConfig config = sample::demo();
    RuleConfig& rule = config.rules[0];
    rule.action = Action::ignore;
    MoveConfig credit, fee;
    credit.action = fee.action = Action::credit;
    credit.formerly = as_charge;
    fee.effect_key = {{"fee"}, {"/id"}};
    rule.moves = {credit, fee};
    EXPECT_EQ(shown(sample::read(config, sample::captured)),
              "demo/capture/pay_1 was old/charge/pay_1");
    rule.formerly = as_charge;
    EXPECT_NE(sample::refusal(config).find("[[rule.move]]"), std::string::npos);
}

TEST(Formerly, is_refused_for_a_rule_that_starts_a_workflow) {
    ProviderConfig config = sample::demo();
    config.rules[0].action = Action::start;
    config.rules[0].workflow = "charge_order";
    config.rules[0].formerly = as_charge;
    EXPECT_NE(sample::refusal(config).find("formerly"), std::string::npos);
    config.rules[0].action = Action::ignore;
    EXPECT_EQ(sample::refusal(config), "") << "it posts nothing any more, and says what it did";
}

TEST(Shapes, are_the_books_the_kind_and_the_pointers_as_a_file_writes_them) {
    ProviderConfig config = with_refunds(as_charge);
    config.rules[1].unit = AmountUnit::major;
    config.rules[1].effect_key.push_back({"/part\"", true});
    const FileShapes shapes = shapes_of(config, "demo");
    ASSERT_EQ(shapes.present.size(), 2U);
    EXPECT_EQ(shapes.present[0].second.key, R"(["demo", "refund", "/id"])");
    EXPECT_EQ(shapes.present[0].second.reading, "debit delta minor");
    EXPECT_EQ(shapes.present[1].first, 1U);
    EXPECT_EQ(shapes.present[1].second.key,
              R"(["demo", "capture", "/payment_id", {at = "/part\"", optional = true}])");
    EXPECT_EQ(shapes.present[1].second.reading, "credit delta major");
    EXPECT_EQ(shapes.former, std::set<std::string>{R"(["old", "charge", "/payment_id"])"});
}

TEST(Shapes, of_an_event_are_those_of_its_rule_in_any_mode) {
    ProviderConfig config = sample::demo();
    config.mode = Mode::test;
    const Event event = sample::read(config, sample::captured);
    ASSERT_TRUE(event.movements.at(0).shape);
    EXPECT_EQ(event.movements[0].shape->key, R"(["demo", "capture", "/payment_id"])");
    EXPECT_EQ(*event.movements[0].shape, shapes_of(config, "demo").present.at(0).second);
}

}  // namespace
}  // namespace pawl::providers
