// Rules that are for some events of a type only.
#include <utility>

#include "providers/tests/sample.hpp"

namespace pawl::providers {
namespace {

TEST(Where, RuleAppliesOnlyToEventsThatMatchItsConditions) {
    ProviderConfig config = sample::demo();
    RuleConfig refund = sample::credit_rule();
    refund.when = "refund.*";
    refund.action = Action::debit;
    refund.effect_key = {{"refund"}, {"/payment_id"}};
    refund.where = {{"/status", {"succeeded", "done"}}, {"/live", {"true"}}};
    config.rules.insert(config.rules.begin(), refund);
    const auto body = [](const std::string& more) {
        return sample::with(sample::with(sample::captured, "payment.captured", "refund.updated"),
                            R"("sequence":7)", R"("sequence":7)" + more);
    };
    const struct {
        const char* name;
        const char* more;
        Action action;
    } cases[] = {
        {"as it says", R"(,"status":"succeeded","live":true)", Action::debit},
        {"another value that it takes", R"(,"status":"done","live":true)", Action::debit},
        {"another value", R"(,"status":"pending","live":true)", Action::ignore},
        {"one of two", R"(,"status":"succeeded","live":false)", Action::ignore},
        {"one of two, and the other is missing", R"(,"status":"pending")", Action::ignore},
        {"another case", R"(,"status":"Succeeded","live":true)", Action::ignore},
    };
    for (const auto& one : cases) {
        const Event event = sample::read(config, body(one.more));
        EXPECT_EQ(event.action, one.action) << one.name;
        EXPECT_EQ(!event.movements.empty(), one.action == Action::debit) << one.name;
        EXPECT_EQ(event.quarantine, "") << one.name;
    }
}

ProviderConfig paid(Conditions where) {
    ProviderConfig config = sample::demo();
    config.rules[0].where = std::move(where);
    return config;
}

std::string captured_with(const std::string& more) {
    return sample::with(sample::captured, R"("sequence":7)", R"("sequence":7)" + more);
}

RuleConfig unless_present(const std::string& pointer, Action action) {
    RuleConfig rule = sample::credit_rule();
    rule.action = action;
    rule.where = {{pointer, {}}};
    return rule;
}

TEST(Where, MoneyWithoutTheFieldIsQuarantinedAndNotMatchedFurther) {
    const auto config = paid({{"/status", {"paid"}}});
    for (const char* more : {"", R"(,"status":null)", R"(,"status":["paid"])",
                             R"(,"status":{"is":"paid"})", R"(,"Status":"paid")"}) {
        const Event event = sample::read(config, captured_with(more));
        EXPECT_EQ(event.quarantine, "shape_changed") << more;
        EXPECT_EQ(event.event_id.str(), "evt_1");
        EXPECT_TRUE(event.movements.empty()) << more;
    }
    EXPECT_EQ(sample::read(config, captured_with(R"(,"status":"failed")")).quarantine, "");
    const auto other = sample::with(sample::captured, "payment.captured", "payment.seen");
    EXPECT_EQ(sample::read(config, other).quarantine, "") << "no rule for money is for its type";
    const auto below = paid({{"/status/is", {"paid"}}});
    EXPECT_EQ(sample::read(below, captured_with(R"(,"status":"paid")")).quarantine,
              "shape_changed");
}

TEST(Where, RuleThatRequiresAbsenceMatchesInAnyPosition) {
    const auto without = captured_with("");
    for (const std::size_t place : {0, 1, 2}) {
        auto config = paid({{"/status", {"paid"}}});
        config.rules.insert(config.rules.begin() + static_cast<std::ptrdiff_t>(place),
                            unless_present("/status", Action::debit));
        const Event event = sample::read(config, without);
        EXPECT_EQ(event.quarantine, "") << place;
        EXPECT_EQ(event.action, Action::debit) << place;
        EXPECT_EQ(sample::read(config, captured_with(R"(,"status":"paid")")).action,
                  Action::credit);
        EXPECT_EQ(sample::read(config, captured_with(R"(,"status":"failed")")).action,
                  Action::ignore);
        EXPECT_EQ(sample::read(config, captured_with(R"(,"status":[])")).quarantine,
                  "shape_changed")
            << "a value that is not text is not absent";
    }
}

TEST(Where, AbsenceOfAnotherFieldDoesNotMatch) {
    auto config = paid({{"/status", {"paid"}}});
    config.rules.insert(config.rules.begin() + 1, unless_present("/kind", Action::ignore));
    EXPECT_EQ(sample::read(config, captured_with("")).quarantine, "shape_changed");
    config.rules[1].where.emplace_back("/status", std::vector<std::string>{});
    EXPECT_EQ(sample::read(config, captured_with("")).quarantine, "");
}

TEST(Where, FieldMayBeAbsentInARuleWithoutMoney) {
    auto config = paid({{"/status", {"paid"}}});
    config.rules[0].action = Action::ignore;
    config.rules.push_back(sample::credit_rule());
    EXPECT_EQ(sample::read(config, captured_with("")).quarantine, "");
}

TEST(Where, ConditionThatIsNeverTrueIsRefused) {
    ProviderConfig config = sample::demo();
    config.rules[0].where = {{"status", {"succeeded"}}};
    EXPECT_NE(sample::refusal(config).find("where"), std::string::npos);
}

}  // namespace
}  // namespace pawl::providers
