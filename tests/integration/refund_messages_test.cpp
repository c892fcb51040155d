#include "jobs/job_queue.hpp"
#include "tests/integration/paying.hpp"

namespace pawl::workflows {
namespace {

using namespace std::chrono_literals;

class RefundMessages : public Paying {};

TEST_F(RefundMessages, NameTheAccountSoThatOneThatIsStuckKeepsNoOtherAccountWaiting) {
    const auto a = begin("a", "test", 5000, "user:a");
    const auto b = begin("b", "test", 5000, "user:b");
    rounds();
    begin_refund(a, 5000);
    rounds(1s);
    begin_refund(b, 5000);
    rounds(1s);
    EXPECT_EQ(value("SELECT string_agg(payload->>'account', ' ' ORDER BY id) FROM staged_jobs "
                    "WHERE payload->>'type' = 'refund.succeeded'"),
              "user:a user:b");

    const SystemClock system_clock;
    jobs::JobQueue queue({}, database.options(), system_clock);
    queue.move({{"notify"}, {{"notify", "refund.", false, "shop", true}}}, 100, clock.now());
    // The first is held and never ends; the second is there to be had at the same time.
    const auto claimed = queue.exchange({}, {}, {{"notify", "shop", 8, 1, true}}, clock.now());
    EXPECT_EQ(claimed.claimed[0].size(), 2U);
}

}  // namespace
}  // namespace pawl::workflows
