// Two sessions accept what concerns the same events, effects or accounts, in every order.
#include <gtest/gtest.h>

#include "tests/integration/interleaving.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

using testing::Said;
using testing::Schedule;

struct Scenario {
    const char* name;
    std::vector<Said> before;  // already in the books
    std::vector<Said> a;       // each a delivery; together one batch
    std::vector<Said> b;
    std::map<std::string, int> outcomes;  // of the intents at the end
    std::set<std::int64_t> balances;      // of all accounts together, any of these
    int transfers = 1;
};

providers::Event event_of(const Said& said) {
    return said.effect.empty() ? testing::ignored(said.id) : testing::event(said);
}

std::vector<intents::Submission> submissions(const std::vector<Said>& said) {
    std::vector<intents::Submission> all;
    for (const Said& one : said) all.push_back(testing::deliver({event_of(one)}));
    return all;
}

void PrintTo(const Scenario& scenario, std::ostream* out) {
    *out << scenario.name;
}

class Interleaved : public ::testing::TestWithParam<Scenario> {
  protected:
    testing::Seen run_all(Schedule::Leave leave) {
        return testing::in_every_order(GetParam().name, ground, leave, [this](Schedule& schedule) {
            return run_one(GetParam(), schedule);
        });
    }

    testing::StepLog run_one(const Scenario& scenario, Schedule& schedule) {
        if (!scenario.before.empty()) testing::commit(look, submissions(scenario.before));
        sides[0]->begin(submissions(scenario.a));
        sides[1]->begin(submissions(scenario.b));
        testing::StepLog step_log = testing::drive(sides, schedule);
        expect_end(scenario, step_log.text());
        return step_log;
    }

    void expect_end(const Scenario& scenario, const std::string& step_log) {
        constexpr db::Query outcomes{"test_outcomes",
                                     "SELECT outcome, count(*) AS events, sum(deliveries) AS "
                                     "deliveries FROM webhook_intents GROUP BY outcome"};
        std::map<std::string, int> found;
        std::int64_t rows = 0;
        std::int64_t deliveries = 0;
        for (const auto& row : db::Statement::run(look, outcomes).named()) {
            const int events = std::stoi(row.at("events"));
            found[row.at("outcome")] = events;
            rows += events;
            deliveries += std::stoll(row.at("deliveries"));
        }
        EXPECT_EQ(found, scenario.outcomes) << step_log;
        const auto sent = scenario.before.size() + scenario.a.size() + scenario.b.size();
        EXPECT_EQ(deliveries, static_cast<std::int64_t>(sent)) << "a delivery is not counted";
        const auto first_answers = static_cast<std::int64_t>(scenario.before.size()) +
                                   sides[0]->first_answers() + sides[1]->first_answers();
        EXPECT_EQ(first_answers, rows)
            << "two answers, or none, said that it was new: " << step_log;
        const auto books = testing::books_of(look, "");
        EXPECT_EQ(static_cast<int>(books.effects.size()), scenario.transfers) << step_log;
        std::int64_t together = 0;
        for (const auto& [account, amount] : books.balances) together += amount;
        EXPECT_TRUE(scenario.balances.contains(together)) << together << " after " << step_log;
    }

    testing::Ground ground;
    db::Session& look = ground.look;
    testing::Sides& sides = ground.sides;
};

// Plainly every order of all their steps, where that is not too many.
class InterleavedPlainly : public Interleaved {};

TEST_P(Interleaved, EndsTheSameInEveryOrder) {
    run_all(Schedule::Leave::what_commutes);
}

// And what the others leave out is nothing but repetition, each of them met once.
TEST_P(InterleavedPlainly, EndsTheSameInEveryOrder) {
    const auto all = run_all(Schedule::Leave::nothing);
    if (HasFailure()) return;
    const auto reduced = run_all(Schedule::Leave::what_commutes);
    EXPECT_EQ(reduced.senses, all.senses);
    EXPECT_EQ(static_cast<std::size_t>(reduced.schedules), reduced.senses.size());
}

std::string named(const ::testing::TestParamInfo<Scenario>& tested) {
    return tested.param.name;
}

const Said first{.id = "e1", .effect = "c1", .amount = 100};
const Said second{.id = "e2", .effect = "c2", .amount = 40};
const Said refund{
    .id = "r1", .effect = "r1", .amount = 40, .action = providers::Action::debit, .needs = {"c1"}};
const Said no_money{.id = "n1"};  // the lock of no effect keeps two deliveries of it apart
const Said opening{.id = "e0", .effect = "c0", .amount = 1000};

Said on(const std::string& account, std::int64_t amount) {
    const std::string id = "e" + std::to_string(amount);
    return {.id = id, .effect = id, .account = account, .amount = amount};
}

// The running total of one payment: only the amount above the last one moves.
Said total(const std::string& id, std::int64_t so_far) {
    return {.id = id, .effect = "capture/pay_1", .amount = so_far, .total = true};
}

INSTANTIATE_TEST_SUITE_P(
    TwoSessions, InterleavedPlainly,
    ::testing::Values(
        Scenario{"TheSameEventAtOnce", {}, {first}, {first}, {{"applied", 1}}, {100}, 1},
        Scenario{"CrossedEventsInTwoBatches",
                 {},
                 {first, second},
                 {second, first},
                 {{"applied", 2}},
                 {140},
                 2},
        Scenario{"RedeliveriesWithoutMoneyAtOnce",
                 {no_money},
                 {no_money},
                 {no_money},
                 {{"ignored", 1}},
                 {0},
                 0},
        Scenario{"TheSameIdWithOtherContent",
                 {},
                 {first},
                 {{.id = "e1", .effect = "c2", .amount = 999}},
                 {{"applied", 1}, {"quarantined", 1}},
                 {100, 999},
                 1}),
    named);

INSTANTIATE_TEST_SUITE_P(
    TwoSessions, Interleaved,
    ::testing::Values(
        Scenario{"TwoEventsOnANewAccount", {}, {first}, {second}, {{"applied", 2}}, {140}, 2},
        Scenario{
            "TwoEventsOnAKnownAccount", {opening}, {first}, {second}, {{"applied", 3}}, {1140}, 3},
        Scenario{"CrossedNewAccountsInTwoBatches",
                 {},
                 {on("x", 1), on("y", 2)},
                 {on("y", 4), on("x", 8)},
                 {{"applied", 4}},
                 {15},
                 4},
        Scenario{"CrossedKnownAccountsInTwoBatches",
                 {on("x", 16), on("y", 32)},
                 {on("x", 1), on("y", 2)},
                 {on("y", 4), on("x", 8)},
                 {{"applied", 6}},
                 {63},
                 6},
        Scenario{"TwoEventsWithOneEffect",
                 {},
                 {first},
                 {{.id = "e2", .effect = "c1", .amount = 100}},
                 {{"applied", 1}, {"duplicate_effect", 1}},
                 {100},
                 1},
        Scenario{"TwoEventsThatClaimOneEffectDifferently",
                 {},
                 {first},
                 {{.id = "e2", .effect = "c1", .amount = 7}},
                 {{"applied", 1}, {"quarantined", 1}},
                 {100, 7},
                 1},
        Scenario{"TwoDeliveriesOfOneRunningTotal",
                 {opening, total("e3", 60)},
                 {total("e4", 100)},
                 {total("e5", 100)},
                 {{"applied", 3}, {"duplicate_effect", 1}},
                 {1100},
                 2},  // the parts of a total are one effect
        Scenario{"ARefundAndTheCaptureItNeeds", {}, {first}, {refund}, {{"applied", 2}}, {60}, 2},
        Scenario{"ARefundThatWaitsAndTwoClaimsOfItsCapture",
                 {refund},
                 {first},
                 {{.id = "e2", .effect = "c1", .amount = 100}},
                 {{"applied", 2}, {"duplicate_effect", 1}},
                 {60},
                 2}),
    named);

}  // namespace
}  // namespace pawl
