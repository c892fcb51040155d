#include "workflows/engine/pace.hpp"

#include <gtest/gtest.h>

#include "workflows/engine/backoff.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Pace, NoMoreBeginInASecondThanTheGatewayLikes) {
    Pace pace(10);
    Pace::Steady now{std::chrono::hours(1)};
    int begun = 0;
    for (int i = 0; i < 300; ++i) {  // three seconds, looked at every 10 ms
        const int allowed = pace.allowed(32, now);
        pace.used(allowed);
        begun += allowed;
        now += milliseconds(10);
    }
    EXPECT_GE(begun, 38);
    EXPECT_LE(begun, 40);  // the second that was saved, and three more
}

TEST(Pace, UnusedStartsAreKeptForOneSecond) {
    Pace pace(10);
    Pace::Steady now{std::chrono::hours(1)};
    pace.used(pace.allowed(10, now));
    EXPECT_EQ(pace.allowed(10, now), 0);
    now += std::chrono::hours(5);
    EXPECT_EQ(pace.allowed(100, now), 10);
}

TEST(Pace, WithoutALimitAllRunsMayBegin) {
    Pace pace;
    pace.used(1000);
    EXPECT_EQ(pace.allowed(32, {}), 32);
}

TEST(Backoff, TheCeilingDoublesUpToItsLimitAndJitterStaysBelowIt) {
    EXPECT_EQ(ceiling_of(1, seconds(1), seconds(60)), seconds(1));
    EXPECT_EQ(ceiling_of(4, seconds(1), seconds(60)), seconds(8));
    EXPECT_EQ(ceiling_of(1000, seconds(1), seconds(60)), seconds(60));
    for (int i = 0; i < 1000; ++i) EXPECT_LE(full_jitter(3, seconds(1), seconds(60)), seconds(4));
}

}  // namespace
}  // namespace pawl::workflows
