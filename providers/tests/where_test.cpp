// Rules that are for some events of a type only.
#include "providers/tests/sample.hpp"

namespace pawl::providers {
namespace {

TEST(Where, a_rule_is_for_events_that_say_so_and_for_no_other) {
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
        {"missing", R"(,"status":"succeeded")", Action::ignore},
        {"null", R"(,"status":null,"live":true)", Action::ignore},
        {"not a scalar", R"(,"status":["succeeded"],"live":true)", Action::ignore},
        {"another case", R"(,"status":"Succeeded","live":true)", Action::ignore},
    };
    for (const auto& one : cases) {
        const Event event = sample::read(config, body(one.more));
        EXPECT_EQ(event.action, one.action) << one.name;
        EXPECT_EQ(event.movement.has_value(), one.action == Action::debit) << one.name;
    }
}

TEST(Where, one_that_could_never_be_true_is_refused) {
    ProviderConfig config = sample::demo();
    config.rules[0].where = {{"status", {"succeeded"}}};
    EXPECT_NE(sample::refusal(config).find("where"), std::string::npos);
    config.rules[0].where = {{"/status", {}}};
    EXPECT_NE(sample::refusal(config).find("where /status accepts nothing"), std::string::npos);
}

}  // namespace
}  // namespace pawl::providers
