#include <map>
#include <mutex>

#include "jobs/operating.hpp"
#include "tests/integration/jobs_case.hpp"

namespace pawl::jobs {
namespace {

class Ordered : public testing::JobsCase {
  protected:
    const Routes routes{{"notify"}, {{"notify", "", false, "shop", true}}};

    void stage_for(const std::string& account, int count = 1) {
        stage("notify", R"({"type":"credit.applied","account":")" + account + R"("})", count);
    }
    LaneSpec shop(Handler handler) {
        LaneSpec spec = lane(std::move(handler), "notify", "shop");
        spec.ordered = true;
        return spec;
    }
    void retry(const std::string& key) {
        db::Session session = database.session();
        db::in_transaction(session, [&](db::Transaction& transaction) {
            EXPECT_TRUE(
                act(transaction, parse_job_key(key).value(), Act::retry, "why", clock.now()));
        });
    }
    static std::string account_of(const Job& job) {
        const auto at = job.payload.find("user:");
        return job.payload.substr(at, job.payload.find('"', at) - at);
    }
};

TEST_F(Ordered, JobsOfAnAccountRunInOrderOneAtATimeDespiteFailures) {
    for (int i = 0; i < 40; ++i) {
        for (const char* account : {"user:1", "user:2", "user:3"}) stage_for(account);
    }
    move(routes);
    std::mutex mutex;
    std::map<std::string, std::vector<std::int64_t>> done;
    std::map<std::string, int> running;
    int tries = 0;
    bool overlapped = false;
    auto spec = shop([&](const Job& job) -> JobResult {
        const std::string account = account_of(job);
        {
            const std::lock_guard lock(mutex);
            overlapped = overlapped || ++running[account] > 1;
        }
        std::this_thread::yield();
        const std::lock_guard lock(mutex);
        --running[account];
        if (++tries % 7 == 0) return Retry{"every seventh attempt", std::nullopt, false};
        done[account].push_back(job.key.id);
        return Done{};
    });
    const auto one = worker({spec});
    const auto two = worker({spec});
    while (count("state = 'done'") != "120") {
        clock.advance(std::chrono::seconds(3));
        one->run_once();
        two->run_once();
    }
    EXPECT_FALSE(overlapped);
    for (const auto& [account, ids] : done) {
        EXPECT_EQ(ids.size(), 40U);
        EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end())) << account;
    }
}

TEST_F(Ordered, BlockedAccountDoesNotDelayOthers) {
    stage_for("user:a", 3000);
    stage_for("user:b", 3);
    move(routes);
    const auto stubborn = worker({shop([](const Job& job) -> JobResult {
        if (account_of(job) == "user:b") return Done{};
        return Retry{"stuck", std::chrono::hours(1), false};
    })});
    for (int i = 0; i < 30; ++i) work_off(*stubborn);
    EXPECT_EQ(count("payload->>'account' = 'user:b' AND state = 'done'"), "3");
    EXPECT_EQ(count("payload->>'account' = 'user:a' AND attempts > 0"), "1");
}

TEST_F(Ordered, NoJobOvertakesAStagedOne) {
    stage_for("user:1");
    stage_for("user:1");
    db::Session other = database.session();
    {
        // Another enqueuer has the first one, and has not committed.
        db::Transaction holding(other);
        holding.run_script("SELECT * FROM staged_jobs WHERE id = 1 FOR UPDATE");
        EXPECT_EQ(move(routes), 1U);
        const auto eager = worker({shop([](const Job&) { return Done{}; })});
        work_off(*eager);
        EXPECT_EQ(count("state = 'done'"), "0");
    }
    move(routes);
    const auto eager = worker({shop([](const Job&) { return Done{}; })});
    work_off(*eager);
    work_off(*eager);
    EXPECT_EQ(count("state = 'done'"), "2");
}

TEST_F(Ordered, ADeadJobLetsTheNextOfItsAccountGo) {
    stage_for("user:1", 2);
    move(routes);
    const auto picky = worker({shop([](const Job& job) -> JobResult {
        if (job.key.id == 1) return DeadLetter{"gone"};
        return Done{};
    })});
    work_off(*picky);
    work_off(*picky);
    EXPECT_EQ(count("id = 1 AND state = 'dead'"), "1");
    EXPECT_EQ(count("id = 2 AND state = 'done'"), "1");
}

// A lane in order whose process ends whenever it holds the job of user:3.
TEST_F(Ordered, JobsLeasedWithAPoisonJobAreDoneWithoutIt) {
    for (int i = 0; i < 8; ++i) stage_for("user:" + std::to_string(i));
    move(routes);
    for (int process = 0; process < 60 && count("state = 'ready'") != "0"; ++process) {
        const auto doomed = queue();
        const auto claimed =
            doomed->exchange({}, {}, {{"notify", "shop", 8, 1, true}}, clock.now()).claimed[0];
        std::vector<CompletedJob> finished;
        bool ends = false;
        for (const Job& job : claimed) {
            const bool dead = job.crashes >= 5;
            ends = ends || (account_of(job) == "user:3" && !dead);
            finished.push_back(
                {job.key, job.fencing_token, dead ? "dead" : "done", {}, "why", false});
        }
        if (!ends) doomed->exchange(finished, {}, {}, clock.now());
        database.run(
            "UPDATE jobs SET locked_until = now() - interval '1 second' "
            "WHERE locked_until IS NOT NULL");
    }
    EXPECT_EQ(count("state = 'dead'"), "1");
    EXPECT_EQ(count("state = 'done'"), "7");
}

// An operator has changed `ordered`, and there are jobs from before.
TEST_F(Ordered, JobsFromBeforeASubscriberCameToBeOrderedAreDoneInOrder) {
    stage_for("user:1", 3);
    move({{"notify"}, {{"notify", "", false, "shop", false}}});
    database.run("UPDATE jobs SET state = 'dead', done_at = now(), last_error = 'x' WHERE id = 2");
    stage_for("user:1", 3);
    move(routes);
    std::mutex mutex;
    std::vector<std::int64_t> done;
    const auto now_ordered = worker({shop([&](const Job& job) {
        const std::lock_guard lock(mutex);
        done.push_back(job.key.id);
        return Done{};
    })});
    for (int i = 0; i < 10; ++i) work_off(*now_ordered);
    EXPECT_EQ(done, (std::vector<std::int64_t>{1, 3, 4, 5, 6}));
    retry("2.shop");
    clock.advance(std::chrono::seconds(10));
    work_off(*worker({shop([](const Job&) { return Done{}; })}));
    EXPECT_EQ(count("state = 'done'"), "6");
}

TEST_F(Ordered, JobsFromBeforeASubscriberCeasedToBeOrderedAreDone) {
    stage_for("user:1", 3);
    move(routes);
    database.run("UPDATE jobs SET state = 'dead', done_at = now(), last_error = 'x' WHERE id = 2");
    const auto any_order = [&] {
        work_off(*worker({lane([](const Job&) { return Done{}; }, "notify", "shop")}));
    };
    any_order();
    EXPECT_EQ(count("state = 'done'"), "2");
    retry("2.shop");
    any_order();
    EXPECT_EQ(count("state = 'done'"), "3");
}

// More blocked accounts than one scan reads.
TEST_F(Ordered, AThousandAccountsThatWaitDoNotHideOneThatCanGo) {
    database.run(
        "INSERT INTO jobs (id, kind, target, ordering_key, payload, correlation_id, run_at, "
        "staged_at) SELECT n, 'notify', 'shop', 'user:' || n, jsonb_build_object('account', "
        "'user:' || n), 'c', now() + CASE WHEN n = 999 THEN interval '-1 hour' ELSE interval "
        "'9 hours' END, now() FROM generate_series(1, 1000) n");
    const auto patient = worker({shop([](const Job&) { return Done{}; })});
    for (int i = 0; i < 5; ++i) work_off(*patient);
    EXPECT_EQ(count("id = 999 AND state = 'done'"), "1");
}

}  // namespace
}  // namespace pawl::jobs
