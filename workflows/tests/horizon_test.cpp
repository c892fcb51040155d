#include <gtest/gtest.h>

#include "workflows/call/calls.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(Horizon, SendingStopsBeforeItsEndByMoreThanTheTimeThatACallMayTake) {
    outbound::GatewayConfig gateway;
    gateway.key_horizon = hours(24);
    gateway.timeout = seconds(10);
    const Time sent = Time(hours(1000));
    const Time end = sent + hours(24);
    PinnedCall call;
    EXPECT_TRUE(inside_horizon(call, gateway, end)) << "it was never sent";
    call.first_sent_at = sent;
    EXPECT_TRUE(inside_horizon(call, gateway, end - hours(1)));
    EXPECT_FALSE(inside_horizon(call, gateway, end - gateway.timeout - seconds(1)))
        << "the clocks may differ a little";
    EXPECT_FALSE(inside_horizon(call, gateway, end - seconds(1))) << "it arrives too late";
    EXPECT_FALSE(inside_horizon(call, gateway, end));
}

}  // namespace
}  // namespace pawl::workflows
