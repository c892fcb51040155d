#include <map>
#include <mutex>

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
    static std::string account_of(const Job& job) {
        const auto at = job.payload.find("user:");
        return job.payload.substr(at, job.payload.find('"', at) - at);
    }
};

TEST_F(Ordered, TheJobsOfAnAccountRunInOrderAndNeverTwoAtOnceThoughTheyFailNowAndThen) {
    for (int i = 0; i < 40; ++i) {
        for (const char* account : {"user:1", "user:2", "user:3"}) stage_for(account);
    }
    move(routes);
    std::mutex mutex;
    std::map<std::string, std::vector<std::int64_t>> done;
    std::map<std::string, int> running;
    int tries = 0;
    bool overlapped = false;
    auto spec = shop([&](const Job& job) -> Ending {
        const std::string account = account_of(job);
        {
            const std::lock_guard lock(mutex);
            overlapped = overlapped || ++running[account] > 1;
        }
        std::this_thread::yield();
        const std::lock_guard lock(mutex);
        --running[account];
        if (++tries % 7 == 0) return TryAgain{"now and then", std::nullopt, false};
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

TEST_F(Ordered, AnAccountThatCannotGoOnKeepsNoOtherWaiting) {
    stage_for("user:a", 3000);
    stage_for("user:b", 3);
    move(routes);
    const auto stubborn = worker({shop([](const Job& job) -> Ending {
        if (account_of(job) == "user:b") return Done{};
        return TryAgain{"stuck", std::chrono::hours(1), false};
    })});
    for (int i = 0; i < 30; ++i) work_off(*stubborn);
    EXPECT_EQ(count("payload->>'account' = 'user:b' AND state = 'done'"), "3");
    EXPECT_EQ(count("payload->>'account' = 'user:a' AND attempts > 0"), "1");
}

TEST_F(Ordered, NothingOvertakesWhatIsStillStaged) {
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
    const auto picky = worker({shop([](const Job& job) -> Ending {
        if (job.key.id == 1) return Hopeless{"gone"};
        return Done{};
    })});
    work_off(*picky);
    work_off(*picky);
    EXPECT_EQ(count("id = 1 AND state = 'dead'"), "1");
    EXPECT_EQ(count("id = 2 AND state = 'done'"), "1");
}

// More accounts than one look goes over, most of which cannot go on.
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
