#include "jobs/worker.hpp"

#include "jobs/operating.hpp"
#include "tests/integration/jobs_case.hpp"

namespace pawl::jobs {
namespace {

using Work = testing::JobsCase;

JobResult done(const Job&) {
    return Done{};
}

TEST_F(Work, JobRunsOnceAndKeepsItsIdAndCorrelation) {
    stage_and_move("test");
    std::vector<Job> seen;
    auto spec = lane([&](const Job& job) {
        seen.push_back(job);
        return Done{};
    });
    spec.concurrency = 1;
    work_off(*worker({spec}));
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].key, (JobKey{1, ""}));
    EXPECT_EQ(seen[0].correlation_id.str(), "corr-1");
    EXPECT_EQ(seen[0].attempt, 1);
    EXPECT_EQ(count("state = 'done' AND id = 1 AND locked_until IS NULL"), "1");
}

TEST_F(Work, TwoWorkersShareTenThousandJobsAndNoneRunsTwice) {
    stage_and_move("test", 10000);
    std::atomic<int> ran{0};
    auto spec = lane([&](const Job&) {
        ++ran;
        return Done{};
    });
    spec.held_max = 200;
    auto one = worker({spec});
    auto two = worker({spec});
    one->start();
    two->start();
    while (count("state = 'ready'") != "0") std::this_thread::yield();
    one->stop();
    two->stop();
    EXPECT_EQ(ran, 10000);
    EXPECT_EQ(count("state = 'done' AND attempts = 1"), "10000");
    EXPECT_EQ(stale_writes(), 0);
}

TEST_F(Work, JobOfAnUnknownKindWaitsForAWorkerThatKnowsIt) {
    stage_and_move("from the future");
    work_off(*worker({lane(done)}));
    EXPECT_EQ(count("state = 'ready' AND attempts = 0"), "1");
    clock.advance(std::chrono::hours(24 * 365));
    work_off(*worker({lane(done)}));
    EXPECT_EQ(count("state = 'ready' AND attempts = 0"), "1");
    work_off(*worker({lane(done, "from the future")}));
    EXPECT_EQ(count("state = 'done'"), "1");
}

TEST_F(Work, FailingJobIsRetriedThenDeadAndNeverDeleted) {
    stage_and_move("test");
    auto spec = lane([](const Job&) { return Retry{"no luck", std::nullopt}; });
    spec.retry = {.attempts_max = 4};
    const auto unlucky = worker({spec});
    work_off(*unlucky);
    EXPECT_EQ(count("state = 'ready' AND attempts = 1 AND last_error = 'no luck'"), "1");
    for (int i = 0; i < 10; ++i) {
        clock.advance(std::chrono::hours(7));
        work_off(*unlucky);
    }
    EXPECT_EQ(count("state = 'dead' AND attempts = 4 AND last_error = 'no luck'"), "1");
}

TEST_F(Work, AHandlerThatThrowsHasFailedAndWhatItSaysIsMadeStorable) {
    stage_and_move("test");
    work_off(*worker({lane(
        [](const Job&) -> JobResult { throw std::runtime_error("bad \xff bytes\n here"); })}));
    EXPECT_EQ(database.value("SELECT last_error FROM jobs"), "bad \xef\xbf\xbd bytes\n here");
}

// A worker whose lease expired must not overwrite its successor's result.
TEST_F(Work, AWorkerThatLostItsLeaseWritesNothingAndIsCounted) {
    stage_and_move("test");
    std::atomic<bool> go{false};
    auto spec = lane([&](const Job&) {
        while (!go) std::this_thread::yield();
        return Retry{"late", std::nullopt};
    });
    const auto slow = worker({spec});
    ASSERT_EQ(slow->run_once(), 1U);
    database.run("UPDATE jobs SET locked_until = now() - interval '1 second'");
    work_off(*worker({lane(done)}));
    EXPECT_EQ(count("state = 'done' AND lease = 2"), "1");
    go = true;
    while (slow->held() > 0) slow->run_once();
    slow->run_once();
    EXPECT_EQ(count("state = 'done' AND lease = 2 AND last_error IS NULL"), "1");
    EXPECT_EQ(stale_writes(), 1);
}

TEST_F(Work, AWorkerKeepsTheLeaseOfWhatTakesLong) {
    stage_and_move("test");
    std::atomic<bool> go{false};
    auto spec = lane([&](const Job&) {
        while (!go) std::this_thread::yield();
        return Done{};
    });
    const auto slow = worker({spec});
    slow->run_once();
    database.run("UPDATE jobs SET locked_until = now() + interval '1 second'");
    clock.advance(std::chrono::seconds(11));
    slow->run_once();
    EXPECT_EQ(count("locked_until > now() + interval '20 seconds' AND lease = 1"), "1");
    go = true;
    work_off(*slow);
    EXPECT_EQ(count("state = 'done'"), "1");
}

// Looks are rarer than leases are long, and another worker looks all the time.
TEST_F(Work, ALeaseIsKeptThoughTheNextLookIsFarAway) {
    stage_and_move("test");
    std::atomic<int> runs{0};
    auto spec = lane([&](const Job&) {
        ++runs;
        std::this_thread::sleep_for(std::chrono::seconds(8));
        return Done{};
    });
    const JobQueueOptions leased{.lease = std::chrono::seconds(3),
                                 .look_back_every = std::chrono::milliseconds(50)};
    const WorkerOptions rare{.lease = std::chrono::seconds(3), .poll = std::chrono::seconds(5)};
    Worker one(rare, {spec}, queue(leased), system_clock, metrics);
    Worker two(rare, {spec}, queue(leased), system_clock, metrics);
    one.start();
    while (runs == 0) std::this_thread::yield();
    two.start();
    while (count("state = 'done'") != "1") {
        two.poke();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(count("crashes = 0 AND lease = 1"), "1");
}

TEST_F(Work, AJobThatRunsIsNotTriedAgainByAnOperator) {
    stage_and_move("test");
    std::atomic<int> runs{0};
    std::atomic<bool> go{false};
    const auto busy = worker({lane([&](const Job&) {
        ++runs;
        while (!go) std::this_thread::yield();
        return Done{};
    })});
    ASSERT_EQ(busy->run_once(), 1U);
    while (runs == 0) std::this_thread::yield();
    const auto retry = [&] {
        db::Session session = database.session();
        db::Transaction transaction(session);
        const auto acted = act(transaction, {1, ""}, Act::retry, "impatience", clock.now());
        transaction.commit();
        return acted;
    };
    const auto refused = retry();
    EXPECT_FALSE(refused);
    go = true;
    work_off(*busy);
    EXPECT_EQ(count("state = 'done' AND lease = 1"), "1");
    EXPECT_FALSE(retry());  // it is done
    // A job whose worker has ended is not running.
    database.run(
        "INSERT INTO jobs (id, kind, payload, correlation_id, run_at, staged_at, locked_until) "
        "SELECT id, kind, payload, correlation_id, run_at, staged_at, now() - interval '1 second' "
        "FROM jobs_done; DELETE FROM jobs_done");
    EXPECT_TRUE(retry());
}

TEST_F(Work, ADiscardedJobIsKeptAndMayBeTriedAgain) {
    stage_and_move("test");
    const auto acted = [&](Act what) {
        db::Session session = database.session();
        db::Transaction transaction(session);
        const auto result = act(transaction, {1, ""}, what, "because", clock.now());
        transaction.commit();
        return result.ok();
    };
    EXPECT_TRUE(acted(Act::discard));
    EXPECT_EQ(count("state = 'discarded' AND last_error LIKE 'discarded by an operator%'"), "1");
    EXPECT_FALSE(acted(Act::discard));
    EXPECT_TRUE(acted(Act::retry));
    EXPECT_EQ(count("state = 'discarded'"), "0");
    work_off(*worker({lane(done)}));
    EXPECT_EQ(count("state = 'done'"), "1");
    EXPECT_EQ(count(), "1");
}

// A job that crashes its worker must not crash the next ones without a limit.
TEST_F(Work, JobThatCrashesItsWorkerBecomesDead) {
    stage_and_move("test");
    for (int crash = 0; crash < 5; ++crash) {
        // A claim, and then nothing more: the process has ended.
        auto doomed = queue();
        const auto claimed = doomed->exchange({}, {}, {{"test", "", 8, 1, false}}, clock.now());
        ASSERT_EQ(claimed.claimed[0].size(), 1U) << crash;
        database.run("UPDATE jobs SET locked_until = now() - interval '1 second'");
    }
    std::atomic<int> ran{0};
    work_off(*worker({lane([&](const Job&) {
        ++ran;
        return Done{};
    })}));
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(count("state = 'dead' AND attempts = 6 AND last_error LIKE 'its worker crashed 5 %'"),
              "1");
}

TEST_F(Work, JobsLeasedWithAPoisonJobAreRetriedOneByOne) {
    stage_and_move("test", 8);
    {
        auto doomed = queue();
        doomed->exchange({}, {}, {{"test", "", 8, 1, false}}, clock.now());
        database.run("UPDATE jobs SET locked_until = now() - interval '1 second'");
    }
    std::atomic<int> at_once{0}, most{0};
    const auto careful = worker({lane([&](const Job&) {
        most = std::max<int>(most, ++at_once);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        --at_once;
        return Done{};
    })});
    while (count("state = 'done'") != "8") careful->run_once();
    EXPECT_EQ(most, 1);
}

TEST_F(Work, DrainingReturnsUnstartedJobsWithoutCountingAnAttempt) {
    stage_and_move("test", 8);
    std::atomic<int> begun{0};
    std::atomic<bool> go{false};
    auto spec = lane([&](const Job&) {
        ++begun;
        while (!go) std::this_thread::yield();
        return Done{};
    });
    spec.concurrency = 2;
    const auto draining = worker({spec});
    draining->start();
    while (begun < 2) std::this_thread::yield();
    std::thread stopping([&] { draining->stop(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    go = true;
    stopping.join();
    const std::string finished = count("state = 'done' AND attempts = 1");
    EXPECT_EQ(finished, std::to_string(begun));
    EXPECT_LT(begun, 8);
    EXPECT_EQ(count("state = 'ready' AND attempts = 0 AND locked_until IS NULL"),
              std::to_string(8 - begun));
}

TEST_F(Work, StuckLaneDoesNotDelayTheOthers) {
    stage_and_move("stuck", 50);
    stage_and_move("test", 500);
    std::atomic<bool> go{false};
    auto stuck = lane(
        [&](const Job&) {
            while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return Done{};
        },
        "stuck");
    auto both = worker({stuck, lane(done)});
    both->start();
    while (count("kind = 'test' AND state = 'done'") != "500") std::this_thread::yield();
    EXPECT_EQ(count("kind = 'stuck' AND locked_until IS NOT NULL"), "8");
    go = true;
    both->stop();
}

TEST_F(Work, IdsBeyondTwoToTheFiftyThreeAreKept) {
    database.run("ALTER TABLE staged_jobs ALTER COLUMN id RESTART WITH 9007199254740993");
    stage_and_move("test");
    std::int64_t seen = 0;
    work_off(*worker({lane([&](const Job& job) {
        seen = job.key.id;
        return Done{};
    })}));
    EXPECT_EQ(seen, 9007199254740993);
    EXPECT_EQ(count("state = 'done' AND id = 9007199254740993"), "1");
}

// One target: failing jobs must not starve the others.
TEST_F(Work, TwoThousandPoisonJobsDoNotKeepAGoodOneWaiting) {
    stage("test", R"({"poison":true})", 2000);
    stage("test", R"({"poison":false})");
    move();
    auto spec = lane([](const Job& job) -> JobResult {
        if (job.payload.find("true") == std::string::npos) return Done{};
        return Retry{"poison", std::nullopt, false};
    });
    spec.held_max = 500;
    const auto patient = worker({spec});
    int talks = 0;
    for (; count("state = 'done'") != "1" && talks < 200; ++talks) patient->run_once();
    EXPECT_EQ(count("state = 'done'"), "1") << talks;
}

}  // namespace
}  // namespace pawl::jobs
