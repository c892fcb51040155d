// Two sessions accept what concerns the same events, effects or accounts, in every order.
#include <gtest/gtest.h>

#include "tests/integration/interleaving.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

using testing::Driver;
using testing::Said;
using testing::Schedule;
using testing::Sides;
using testing::Stepped;

struct Scenario {
    const char* name;
    std::vector<Said> before;  // already in the books
    std::vector<Said> a;       // each a delivery; together one batch
    std::vector<Said> b;
    std::map<std::string, int> outcomes;  // of the intents at the end
    std::set<std::int64_t> balances;      // the account's, any of these
    int transfers = 1;
};

Said in_run(Said said, const std::string& run) {
    said.id = run + said.id;
    said.effect = run + said.effect;
    said.account = run + said.account;
    for (std::string& need : said.needs) need = run + need;
    return said;
}

std::vector<intents::Submission> submissions(const std::vector<Said>& said,
                                             const std::string& run) {
    std::vector<intents::Submission> all;
    for (const Said& one : said) {
        all.push_back(testing::deliver({testing::event(in_run(one, run))}));
    }
    return all;
}

class Interleaved : public ::testing::TestWithParam<Scenario> {
  protected:
    Interleaved() {
        // Durability is not what is looked at here, and there are thousands of commits.
        database.run(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off',"
            " current_database()); END $$");
        for (auto& side : sides) side = std::make_unique<Stepped>(database.options());
    }

    void run_one(const Scenario& scenario, const std::string& run, Schedule& schedule) {
        if (!scenario.before.empty()) testing::commit(look, submissions(scenario.before, run));
        sides[0]->begin(submissions(scenario.a, run));
        sides[1]->begin(submissions(scenario.b, run));
        Driver driver(sides, schedule);
        EXPECT_TRUE(driver.run()) << "each waits for the other after " << driver.told();
        for (auto& side : sides) EXPECT_EQ(side->error(), "") << driver.told();
        expect_end(scenario, run, driver.told());
    }

    void expect_end(const Scenario& scenario, const std::string& run, const std::string& told) {
        constexpr db::Query outcomes{"test_outcomes",
                                     "SELECT outcome, count(*), sum(deliveries) FROM "
                                     "webhook_intents WHERE starts_with(event_id, $1) GROUP BY 1"};
        std::map<std::string, int> found;
        std::int64_t rows = 0;
        std::int64_t deliveries = 0;
        for (const db::Row row : db::Statement::run(look, outcomes, db::Params().text(run))) {
            found[row.str(0)] = static_cast<int>(row.number(1));
            rows += row.number(1);
            deliveries += row.number(2);
        }
        EXPECT_EQ(found, scenario.outcomes) << told;
        const auto sent = scenario.before.size() + scenario.a.size() + scenario.b.size();
        EXPECT_EQ(deliveries, static_cast<std::int64_t>(sent)) << "a delivery is not counted";
        const auto first_answers = static_cast<std::int64_t>(scenario.before.size()) +
                                   sides[0]->first_answers() + sides[1]->first_answers();
        EXPECT_EQ(first_answers, rows) << "told twice, or never, that it was new: " << told;
        const auto books = testing::books_of(look, run);
        EXPECT_EQ(static_cast<int>(books.effects.size()), scenario.transfers) << told;
        ASSERT_EQ(books.balances.size(), 1U) << told;
        EXPECT_TRUE(scenario.balances.contains(books.balances.begin()->second))
            << books.balances.begin()->second << " after " << told;
    }

    testing::TestDatabase database;
    db::Session look = database.session();
    Sides sides;
};

TEST_P(Interleaved, EndsTheSameWhoeverGoesFirst) {
    Schedule schedule;
    int runs = 0;
    do {
        // "-" ends the number: no run's prefix begins another's.
        run_one(GetParam(), std::to_string(++runs) + "-", schedule);
    } while (!HasFailure() && advance(schedule));
    std::printf("  %d schedules of %s\n", runs, GetParam().name);
    EXPECT_GT(runs, 10) << "the sessions were not interleaved at all";
}

const Said first{.id = "e1", .effect = "c1", .amount = 100};
const Said second{.id = "e2", .effect = "c2", .amount = 40};
const Said refund{
    .id = "r1", .effect = "r1", .amount = 40, .action = providers::Action::debit, .needs = {"c1"}};
const Said opening{.id = "e0", .effect = "c0", .amount = 1000};

INSTANTIATE_TEST_SUITE_P(
    TwoSessions, Interleaved,
    ::testing::Values(
        Scenario{"TheSameEventAtOnce", {}, {first}, {first}, {{"applied", 1}}, {100}, 1},
        Scenario{"CrossedEventsInTwoBatches",
                 {},
                 {first, second},
                 {second, first},
                 {{"applied", 2}},
                 {140},
                 2},
        Scenario{"TheSameIdWithOtherContent",
                 {},
                 {first},
                 {{.id = "e1", .effect = "c2", .amount = 999}},
                 {{"applied", 1}, {"quarantined", 1}},
                 {100, 999},
                 1},
        Scenario{"TwoEventsOnANewAccount", {}, {first}, {second}, {{"applied", 2}}, {140}, 2},
        Scenario{
            "TwoEventsOnAKnownAccount", {opening}, {first}, {second}, {{"applied", 3}}, {1140}, 3},
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
        Scenario{"ARefundAndTheCaptureItNeeds", {}, {first}, {refund}, {{"applied", 2}}, {60}, 2},
        Scenario{"ARefundThatWaitsAndTwoClaimsOfItsCapture",
                 {refund},
                 {first},
                 {{.id = "e2", .effect = "c1", .amount = 100}},
                 {{"applied", 2}, {"duplicate_effect", 1}},
                 {60},
                 2}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace pawl
