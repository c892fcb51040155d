// A worker that has lost its lease while another one is in the middle of the job: nothing that it
// brings is written.
#include "tests/integration/jobs_case.hpp"

namespace pawl::jobs {
namespace {

using JobLeases = testing::JobsCase;

TEST_F(JobLeases, ResultOfAWorkerThatLostItsLeaseIsRejectedWhileAnotherHoldsTheJob) {
    stage_and_move("test");
    std::atomic<bool> slow_may_end{false}, other_may_end{false}, other_began{false};
    const auto slow = worker({lane([&](const Job&) -> JobResult {
        while (!slow_may_end) std::this_thread::yield();
        return Retry{"late", std::nullopt};
    })});
    ASSERT_EQ(slow->run_once(), 1U);
    database.run("UPDATE jobs SET locked_until = now() - interval '1 second'");
    const auto other = worker({lane([&](const Job&) -> JobResult {
        other_began = true;
        while (!other_may_end) std::this_thread::yield();
        return Done{};
    })});
    ASSERT_EQ(other->run_once(), 1U);
    while (!other_began) std::this_thread::yield();
    const std::string held =
        "state = 'ready' AND lease = 2 AND last_error IS NULL AND "
        "locked_until > now()";
    EXPECT_EQ(count(held), "1");
    slow_may_end = true;
    while (slow->held() > 0) slow->run_once();
    slow->run_once();
    EXPECT_EQ(stale_writes(), 1);
    EXPECT_EQ(count(held), "1") << "the job of the other was written to";
    other_may_end = true;
    work_off(*other);
    EXPECT_EQ(count("state = 'done' AND lease = 2 AND attempts = 2 AND last_error IS NULL"), "1");
}

TEST_F(JobLeases, LeaseOfAJobThatAnotherHoldsIsNotRenewedAndIsReportedAsLost) {
    stage_and_move("test");
    database.run("UPDATE jobs SET lease = 2, locked_until = 'epoch'");
    const auto ours = queue();
    const JobKey key{1, ""};
    EXPECT_EQ(ours->exchange({}, {{key, 1}}, {}, clock.now()).lost.size(), 1U);
    EXPECT_EQ(count("locked_until > now()"), "0");
    EXPECT_EQ(ours->exchange({}, {{key, 2}}, {}, clock.now()).lost.size(), 0U);
    EXPECT_EQ(count("locked_until > now()"), "1");
}

}  // namespace
}  // namespace pawl::jobs
