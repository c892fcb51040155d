#include <gtest/gtest.h>

#include "workflows/call/calls.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

PinnedCall call_of(const char* operation, Duration age) {
    PinnedCall call;
    call.operation = operation;
    call.age = age;
    return call;
}

TEST(Horizon, SendingStopsATenthBeforeItsEnd) {
    const outbound::GatewayConfig gateway;
    EXPECT_TRUE(inside_horizon(PinnedCall(), gateway)) << "it was never sent";
    PinnedCall found;
    found.outcome = "processing";
    EXPECT_FALSE(inside_horizon(found, gateway)) << "the commit of its send was lost";
    EXPECT_TRUE(inside_horizon(call_of("charge", hours(21)), gateway));
    EXPECT_FALSE(inside_horizon(call_of("charge", hours(22)), gateway));
    EXPECT_FALSE(inside_horizon(call_of("charge", hours(25)), gateway));
}

TEST(Horizon, MarginIsFiveMinutesAndMoreThanALeaseAndATimeoutAtLeast) {
    outbound::GatewayConfig gateway;
    gateway.horizon.charge = minutes(20);
    EXPECT_TRUE(inside_horizon(call_of("charge", minutes(14)), gateway));
    EXPECT_FALSE(inside_horizon(call_of("charge", minutes(15)), gateway));
    gateway.lease = minutes(8);
    gateway.timeout = minutes(2);
    EXPECT_TRUE(inside_horizon(call_of("charge", minutes(9)), gateway));
    EXPECT_FALSE(inside_horizon(call_of("charge", minutes(10)), gateway));
}

TEST(Horizon, EachKindOfCallHasItsOwn) {
    outbound::GatewayConfig gateway;
    gateway.horizon = {hours(6), hours(72), hours(1000)};
    const Duration age = hours(60);
    EXPECT_FALSE(inside_horizon(call_of("charge", age), gateway));
    EXPECT_FALSE(inside_horizon(call_of("cancel", age), gateway));
    EXPECT_TRUE(inside_horizon(call_of("capture", age), gateway));
    EXPECT_TRUE(inside_horizon(call_of("refund", age), gateway));
}

TEST(Absence, IsFinalAtOnceAfterAWhileOrNever) {
    outbound::GatewayConfig gateway;
    gateway.timeout = seconds(10);
    PinnedCall call;
    call.since_last_send = hours(1);
    EXPECT_FALSE(is_absence_final(call, gateway));
    gateway.not_found_final_after = hours(1);
    EXPECT_FALSE(is_absence_final(call, gateway)) << "since the timeout of the last send";
    call.since_last_send = hours(1) + seconds(10);
    EXPECT_TRUE(is_absence_final(call, gateway));
    gateway.not_found_final_after = Duration{};
    call.since_last_send = Duration{};
    EXPECT_TRUE(is_absence_final(call, gateway));
}

}  // namespace
}  // namespace pawl::workflows
