#include "jobs/enqueuer.hpp"

#include "tests/integration/jobs_case.hpp"

namespace pawl::jobs {
namespace {

class Enqueue : public testing::JobsCase {
  protected:
    bool moved_within(std::chrono::seconds limit, int jobs) {
        const auto until = std::chrono::steady_clock::now() + limit;
        while (count() != std::to_string(jobs)) {
            if (std::chrono::steady_clock::now() > until) return false;
            std::this_thread::yield();
        }
        return true;
    }
};

// A row whose transaction commits late has a lower id than rows that were moved already.
TEST_F(Enqueue, ProducersThatCommitOutOfOrderLoseNoJob) {
    constexpr int producers = 4;
    constexpr int each = 150;
    std::atomic<int> producing{producers};
    std::atomic<int> committed{0};
    std::vector<std::thread> threads;
    for (int p = 0; p < producers; ++p) {
        threads.emplace_back([&, p] {
            SeededRng chance(static_cast<std::uint64_t>(p) + 1);
            db::Session session = database.session();
            for (int i = 0; i < each; ++i) {
                db::Transaction transaction(session);
                jobs::stage(transaction, {{"test", "{}", CorrelationId("c")}}, clock.now());
                std::this_thread::sleep_for(std::chrono::microseconds(chance.below(4000)));
                if (chance.below(4) == 0) continue;  // rolled back
                transaction.commit();
                ++committed;
            }
            --producing;
        });
    }
    std::atomic<std::size_t> moved{0};
    for (int e = 0; e < 2; ++e) {
        threads.emplace_back([&] {
            const auto mover = queue({.look_back_every = std::chrono::milliseconds(50)});
            bool last_look = false;
            while (!last_look) {
                last_look = producing == 0;
                const std::size_t now = mover->move({}, 7, clock.now()).jobs;
                moved += now;
                if (now > 0) last_look = false;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    moved += move();
    EXPECT_EQ(moved, static_cast<std::size_t>(committed));
    EXPECT_EQ(count(), std::to_string(committed));
    EXPECT_EQ(database.value("SELECT count(*) FROM staged_jobs"), "0");
}

TEST_F(Enqueue, ARowThatWasCommittedLongAfterLaterOnesIsFoundByLookingBack) {
    db::Session slow = database.session();
    db::Transaction transaction(slow);
    jobs::stage(transaction, {{"test", "{}", CorrelationId("c")}}, clock.now());
    const auto mover = queue({.look_back_every = std::chrono::milliseconds(300)});
    for (int i = 0; i < 30; ++i) {
        testing::JobsCase::stage("test", "{}", 10);
        mover->move({}, 100, clock.now());
        std::this_thread::sleep_for(std::chrono::milliseconds(80));
    }
    transaction.commit();
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (count("id = 1") == "0" && std::chrono::steady_clock::now() < until) {
        mover->move({}, 100, clock.now());
    }
    EXPECT_EQ(count("id = 1"), "1");
}

TEST_F(Enqueue, AnEnqueuerThatIsKilledInTheMiddleLosesAndDoublesNothing) {
    stage("test", "{}", 100);
    {
        db::Session dying = database.session();
        db::Transaction transaction(dying);
        transaction.run_script(
            "WITH t AS (SELECT id FROM staged_jobs ORDER BY id LIMIT 50 FOR UPDATE SKIP LOCKED), m "
            "AS (DELETE FROM staged_jobs s USING t WHERE s.id = t.id RETURNING s.*) INSERT INTO "
            "jobs (id, kind, payload, correlation_id, run_at, staged_at) "
            "SELECT id, kind, payload, correlation_id, now(), staged_at FROM m");
        EXPECT_EQ(move(), 50U);  // the other half, without waiting
    }
    EXPECT_EQ(move(), 50U);
    EXPECT_EQ(count(), "100");
}

TEST_F(Enqueue, AMessageBecomesAJobForEachSubscriberThatWantsIt) {
    Routes routes{{"notify"},
                  {{"notify", "credit.", false, "shop", false},
                   {"notify", "credit.applied", true, "shop", false},
                   {"notify", "", false, "audit", false},
                   {"notify", "refund.succeeded", true, "third", false}}};
    stage("notify", R"({"type":"credit.applied","account":"user:1"})");
    stage("notify", R"({"type":"debit.applied","account":"user:1"})");
    stage("other", R"({"type":"credit.applied"})");
    EXPECT_EQ(move(routes), 3U);
    EXPECT_EQ(database.value("SELECT string_agg(id || ':' || target, ' ' ORDER BY id, target) "
                             "FROM jobs WHERE state = 'ready'"),
              "1:audit 1:shop 2:audit 3:");
}

TEST_F(Enqueue, JobWithoutSubscriberIsDoneAtOnce) {
    stage("notify", R"({"type":"credit.applied"})", 10);
    EXPECT_EQ(move({{"notify"}, {}}), 10U);
    EXPECT_EQ(count("state = 'done' AND done_at IS NOT NULL AND attempts = 0"), "10");
}

// Looks are an hour apart: only a poke can have moved it.
TEST_F(Enqueue, APokeMovesAtOnce) {
    Enqueuer enqueuer({.poll = std::chrono::hours(1)}, {}, queue(), system_clock, metrics, [] {});
    enqueuer.start();
    for (int i = 1; i <= 3; ++i) {
        stage("test", "{}");
        enqueuer.poke();
        EXPECT_TRUE(moved_within(std::chrono::seconds(10), i));
    }
    enqueuer.stop();
}

TEST_F(Enqueue, WithoutAPokeTheLookMovesIt) {
    Enqueuer enqueuer({.poll = std::chrono::milliseconds(200)}, {}, queue(), system_clock, metrics,
                      [] {});
    enqueuer.start();
    stage("test", "{}");
    EXPECT_TRUE(moved_within(std::chrono::seconds(10), 1));
    stage("test", "{}");
    EXPECT_TRUE(moved_within(std::chrono::seconds(10), 2));
    enqueuer.stop();
}

}  // namespace
}  // namespace pawl::jobs
