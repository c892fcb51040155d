// A parked event is stored as JSON and read back by whichever version releases it.
#include "intents/accept/plan.hpp"

#include <gtest/gtest.h>

#include "intents/tests/sample.hpp"

namespace pawl::intents {
namespace {

using providers::Event;

Event with_everything() {
    Event event = sample::numbered(sample::needing(sample::credit("1", "b", INT64_MAX), "a"), 7);
    event.needs.emplace_back("demo/\"quoted\" \xc3\xa4");
    event.needs_deadline = std::chrono::minutes(3);
    event.movements[0].is_total = true;
    event.movements.push_back(
        {providers::Action::debit, {}, {3, sample::usd}, EffectKey("demo/fee")});
    event.movements[1].shape = std::make_shared<const providers::KeyShape>(
        providers::KeyShape{"[\"demo\", \"fee\"]", "debit delta minor"});
    event.formerly = {{EffectKey("demo/fee"), EffectKey("old/fee")}};
    event.unmet = providers::Unmet::ignore;
    event.occurred_at = Time(std::chrono::hours(5));
    event.dispute = providers::Dispute::lost;
    event.sequence_rule.start = Sequence{-5};
    event.sequence_rule.gap_deadline = std::chrono::seconds(9);
    event.sequence_rule.dense = true;
    event.workflow = "charge_order";
    event.start_key = EffectKey("demo/start");
    event.signal_key = "pay:o1:1";
    event.jobs = {"notify", "receipt"};
    return event;
}

TEST(Plan, IsReadAsItWasStored) {
    Event first_of_stream = with_everything();
    first_of_stream.sequence_rule.start.reset();
    Event without_money = with_everything();
    without_money.movements.clear();
    without_money.sequence.reset();
    without_money.action = providers::Action::signal;
    for (const Event& event : {with_everything(), first_of_stream, without_money, Event{}}) {
        const std::string stored = to_json("demo_books", event);
        const auto plan = plan_from_json(stored);
        ASSERT_TRUE(plan) << stored << plan.error().message;
        EXPECT_EQ(plan->books, "demo_books");
        EXPECT_EQ(to_json(plan->books, plan->event), stored);
        EXPECT_EQ(plan->event.action, event.action);
        EXPECT_EQ(plan->event.sequence, event.sequence);
        EXPECT_EQ(plan->event.sequence_rule.start, event.sequence_rule.start);
        EXPECT_EQ(plan->event.needs, event.needs);
        EXPECT_EQ(plan->event.occurred_at, event.occurred_at);
        EXPECT_EQ(plan->event.dispute, event.dispute);
        ASSERT_EQ(plan->event.formerly.size(), event.formerly.size());
        if (!event.formerly.empty()) {
            EXPECT_EQ(plan->event.formerly[0].former.str(), "old/fee");
        }
        ASSERT_EQ(plan->event.movements.size(), event.movements.size());
        for (std::size_t i = 0; i < event.movements.size(); ++i) {
            EXPECT_EQ(plan->event.movements[i].kind, event.movements[i].kind);
            EXPECT_EQ(plan->event.movements[i].amount.minor, event.movements[i].amount.minor);
            const auto& shape = plan->event.movements[i].shape;
            EXPECT_EQ(shape != nullptr, event.movements[i].shape != nullptr);
            if (shape) {
                EXPECT_EQ(*shape, *event.movements[i].shape);
            }
        }
    }
}

TEST(Plan, IsRefusedIfAPartIsMissingOrOfAnotherKind) {
    const std::string whole = to_json("demo", with_everything());
    ASSERT_TRUE(plan_from_json(whole));
    const std::pair<const char*, const char*> damages[] = {
        {"\"books\":\"demo\"", "\"books\":null"},
        {"\"action\":", "\"acted\":"},
        {"\"sequence\":7", "\"sequence\":\"7x\""},
        {"\"currency\":\"USD\"", "\"currency\":\"USX\""},
        {"\"amount\":9223372036854775807", "\"amount\":9223372036854775808"},
        {"\"amount\":9223372036854775807", "\"amount\":1.5"},
        {"\"effect_key\":", "\"effect\":"},
        {"\"jobs\":", "\"job\":"},
        {"\"movements\":", "\"moves\":"},
        {"\"unmet\":\"ignore\"", "\"unmet\":\"wait\""},
    };
    for (const auto& [from, to] : damages) {
        std::string damaged = whole;
        const auto at = damaged.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        EXPECT_FALSE(plan_from_json(damaged.replace(at, std::string_view(from).size(), to))) << to;
    }
    for (const char* text : {"", "{}", "[]", "null", "{\"books\":"}) {
        EXPECT_FALSE(plan_from_json(text)) << text;
    }
}

}  // namespace
}  // namespace pawl::intents
