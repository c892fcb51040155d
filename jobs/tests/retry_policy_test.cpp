#include "jobs/retry_policy.hpp"

#include <gtest/gtest.h>

#include "jobs/breaker.hpp"
#include "jobs/job.hpp"

namespace pawl::jobs {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct Row {
    std::int64_t attempts;
    Duration ceiling;
};

TEST(RetryPolicy, TheCeilingDoublesUpToTheLongest) {
    const RetryPolicy policy;
    for (const Row& row : {Row{1, seconds(2)}, Row{2, seconds(4)}, Row{5, seconds(32)},
                           Row{14, seconds(16384)}, Row{15, hours(6)}, Row{1000000, hours(6)}}) {
        EXPECT_EQ(ceiling_after(policy, row.attempts), row.ceiling) << row.attempts;
    }
}

TEST(RetryPolicy, EveryWaitLiesBetweenNothingAndTheCeilingAndTheyDiffer) {
    const RetryPolicy policy;
    SeededRng chance(7);
    Duration lowest = hours(1), highest{};
    for (int i = 0; i < 1000; ++i) {
        const auto wait = wait_after(policy, 5, std::nullopt, chance);
        ASSERT_TRUE(wait);
        ASSERT_LE(*wait, seconds(32));
        lowest = std::min(lowest, *wait);
        highest = std::max(highest, *wait);
    }
    EXPECT_LT(lowest, seconds(1));
    EXPECT_GT(highest, seconds(31));
}

TEST(RetryPolicy, RetryAfterIsABoundedMinimum) {
    const RetryPolicy policy;
    SeededRng chance(7);
    EXPECT_GE(*wait_after(policy, 1, seconds(90), chance), seconds(90));
    EXPECT_LE(*wait_after(policy, 1, hours(9000), chance), hours(6));
}

TEST(RetryPolicy, AfterTheLastAttemptThereIsNoWait) {
    SeededRng chance(7);
    EXPECT_TRUE(wait_after({.attempts_max = 3}, 2, std::nullopt, chance));
    EXPECT_FALSE(wait_after({.attempts_max = 3}, 3, std::nullopt, chance));
}

TEST(Breaker, OpensAfterFailuresInARowAndLetsOneThroughToSee) {
    SeededRng chance(7);
    Breaker breaker({.failures_max = 3, .first = seconds(2), .longest = minutes(5)});
    Time now{hours(500000)};
    EXPECT_EQ(breaker.allows(8, 0, now), 8U);
    for (int i = 0; i < 3; ++i) breaker.failed(now, chance);
    EXPECT_EQ(breaker.allows(8, 0, now), 0U);
    now += seconds(3);
    EXPECT_EQ(breaker.allows(8, 0, now), 1U);
    EXPECT_EQ(breaker.allows(8, 1, now), 0U);
    breaker.failed(now, chance);
    EXPECT_EQ(breaker.allows(8, 0, now + seconds(1)), 0U);
    EXPECT_TRUE(breaker.succeeded());
    EXPECT_FALSE(breaker.succeeded());
}

TEST(Breaker, StaysOpenLongerEachTimeUpToALimit) {
    SeededRng chance(7);
    Breaker breaker;
    Time now{hours(500000)};
    for (int i = 0; i < 100; ++i) {
        breaker.failed(now, chance);
        while (breaker.open(now)) now += seconds(1);
    }
    breaker.failed(now, chance);
    EXPECT_TRUE(breaker.open(now + minutes(2)));
    EXPECT_FALSE(breaker.open(now + minutes(5) + seconds(1)));
}

TEST(Breaker, ASuccessBetweenFailuresKeepsItClosed) {
    SeededRng chance(7);
    Breaker breaker;
    const Time now{hours(500000)};
    for (int i = 0; i < 100; ++i) {
        for (int j = 0; j < 4; ++j) breaker.failed(now, chance);
        breaker.succeeded();
    }
    EXPECT_EQ(breaker.allows(8, 0, now), 8U);
}

TEST(JobKey, ReadsBackWhatItWrites) {
    for (const JobKey& key : {JobKey{1, ""}, JobKey{9007199254740993, "shop"}, JobKey{7, "a.b"}}) {
        EXPECT_EQ(parse_job_key(to_text(key)), key) << to_text(key);
    }
    for (const char* wrong : {"", "x", "1.", "1x", ".shop", "99999999999999999999"}) {
        EXPECT_FALSE(parse_job_key(wrong)) << wrong;
    }
}

}  // namespace
}  // namespace pawl::jobs
