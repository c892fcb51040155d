#include "intents/parking/watch.hpp"

#include <gtest/gtest.h>

#include "intents/accept/accept.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class Watching : public ::testing::Test {
  protected:
    void hold(std::int64_t number, const std::string& account = "user:1") {
        const std::string id = account + "#" + std::to_string(number);
        deliver({.id = id,
                 .effect = id,
                 .account = account,
                 .sequence = number,
                 .order = providers::OrderingPolicy::hold});
    }
    void deliver(const testing::Said& said) {
        const auto delivery = testing::deliver({testing::event(said)});
        accept_and_commit(session, {&delivery}, clock.now());
    }
    // After `later`: for how many gaps an alarm is raised now.
    std::size_t alarms(Duration later) {
        clock.advance(later);
        return watch.look(session, clock.now());
    }
    double overdue() { return metrics.gauge("pawl_gaps_overdue", "").alone().value(); }

    testing::TestDatabase database;
    db::Session session = database.session();
    ManualClock clock{SystemClock().now()};
    Metrics metrics;
    Watch watch{metrics};
};

TEST_F(Watching, AGapOlderThanItsDeadlineAlarmsOnceAndIsCountedAsLongAsItStays) {
    hold(2);
    EXPECT_EQ(alarms(minutes(59)), 0U);
    EXPECT_EQ(overdue(), 0);
    EXPECT_EQ(alarms(minutes(2)), 1U);
    EXPECT_EQ(overdue(), 1);
    EXPECT_EQ(alarms(minutes(60)), 0U) << "an alarm that repeats is soon ignored";
    EXPECT_EQ(overdue(), 1);
    hold(1);
    EXPECT_EQ(alarms(minutes(1)), 0U);
    EXPECT_EQ(overdue(), 0);
}

TEST_F(Watching, NextGapOfAStreamIsLoggedAgain) {
    hold(2);
    EXPECT_EQ(alarms(minutes(61)), 1U);
    hold(4);
    hold(1);
    EXPECT_EQ(alarms(minutes(1)), 0U) << "the gap before 4 is young";
    EXPECT_EQ(alarms(minutes(61)), 1U);
}

TEST_F(Watching, TheAgeOfAGapRunsFromItsFirstEarlyEvent) {
    hold(2);
    clock.advance(minutes(50));
    hold(3);
    EXPECT_EQ(alarms(minutes(11)), 1U) << "a later event made the gap young again";
}

TEST_F(Watching, EachStreamHasItsOwnDeadline) {
    auto event = testing::event({.id = "slow",
                                 .effect = "slow",
                                 .account = "slow",
                                 .sequence = 9,
                                 .order = providers::OrderingPolicy::hold});
    event.sequence_rule.gap_deadline = std::chrono::hours(48);
    testing::commit(session, {testing::deliver({event})});
    hold(2);
    EXPECT_EQ(alarms(std::chrono::hours(2)), 1U);
    EXPECT_EQ(alarms(std::chrono::hours(47)), 1U);
    EXPECT_EQ(overdue(), 2);
}

TEST_F(Watching, AnotherProcessAlarmsToo) {
    hold(2);
    EXPECT_EQ(alarms(minutes(61)), 1U);
    Metrics others;
    EXPECT_EQ(Watch(others).look(session, clock.now()), 1U);
}

TEST_F(Watching, GapWithoutParkedEventsIsNotLogged) {
    deliver({.id = "d", .effect = "d", .sequence = 5, .dense = true});
    EXPECT_EQ(database.value("SELECT count(*) FROM sequences WHERE gap_since IS NOT NULL"), "1");
    EXPECT_EQ(alarms(minutes(61)), 0U);
}

TEST_F(Watching, MoreGapsThanAreLoggedAreStillCounted) {
    for (int i = 0; i < 130; ++i) hold(2, "user:" + std::to_string(i));
    EXPECT_EQ(alarms(minutes(61)), 100U);
    EXPECT_EQ(overdue(), 130);
}

TEST_F(Watching, ItLooksOnlyEveryFewSeconds) {
    EXPECT_EQ(alarms(seconds(0)), 0U);
    hold(2);
    database.run("UPDATE sequences SET gap_since = gap_since - interval '2 hours'");
    EXPECT_EQ(alarms(seconds(1)), 0U);
    EXPECT_EQ(alarms(seconds(5)), 1U);
}

}  // namespace
}  // namespace pawl::intents
