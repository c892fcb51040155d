#include "jobs/upkeep.hpp"

#include "intents/retention/partitions.hpp"
#include "tests/integration/jobs_case.hpp"

namespace pawl::jobs {
namespace {

class Maintenance : public testing::JobsCase {
  protected:
    void jobs_in(const std::string& state, int count, const std::string& since) {
        const bool over = state == "done" || state == "discarded";
        const std::string then = "now() - interval '" + since + "'";
        database.run(
            (over ? "INSERT INTO jobs_done (lease, attempts, target, id, kind, payload, "
                    "correlation_id, state, run_at, staged_at, done_at, last_error) SELECT 1, 1, "
                    "'', "
                  : std::string("INSERT INTO jobs (id, kind, payload, correlation_id, state, "
                                "run_at, staged_at, done_at, last_error) SELECT ")) +
            std::to_string(next_) + " + n, 'test', '{}', 'c', '" + state + "', " + then + ", " +
            then + ", " + (state == "ready" ? "NULL" : then) + ", 'because' FROM " +
            "generate_series(1, " + std::to_string(count) + ") n");
        next_ += count;
    }
    int next_ = 0;
    db::Session session = database.session();
};

// Finished jobs are reaped by age, and unfinished ones never; the database's clock decides.
TEST_F(Maintenance, OnlyFinishedJobsAreReapedWhateverTheAgeOfTheOthers) {
    intents::make_partitions(session, clock.now() - std::chrono::days(12));
    jobs_in("done", 2500, "9 days");
    jobs_in("done", 10, "6 days");
    jobs_in("discarded", 5, "9 days");
    jobs_in("done", 3, "900 days");  // before every partition
    jobs_in("dead", 7, "900 days");
    jobs_in("ready", 9, "900 days");
    const Chore chore = reaping(std::chrono::days(7));
    clock.advance(std::chrono::hours(24 * 365));
    while (chore.step(session, clock.now())) {
    }
    EXPECT_EQ(count("state = 'done'"), "10");
    EXPECT_EQ(count("state = 'discarded'"), "0");
    EXPECT_EQ(count("state = 'dead'"), "7");
    EXPECT_EQ(count("state = 'ready'"), "9");
    EXPECT_EQ(count(), "26");
}

TEST_F(Maintenance, GaugesCountTheJobsOfEachState) {
    stage("test", "{}", 3);
    jobs_in("done", 4, "1 hour");
    jobs_in("dead", 2, "1 hour");
    jobs_in("ready", 6, "1 hour");
    measuring(metrics).step(session, clock.now());
    const std::string page = metrics.render();
    for (const char* line : {"pawl_staged_jobs 3\n", "pawl_jobs{state=\"done\"} 4\n",
                             "pawl_jobs{state=\"dead\"} 2\n", "pawl_jobs{state=\"ready\"} 6\n"}) {
        EXPECT_NE(page.find(line), std::string::npos) << line << page;
    }
}

TEST_F(Maintenance, FailingTaskDoesNotBlockTheOthers) {
    int times = 0;
    Upkeep upkeep(
        {{"broken", std::chrono::hours(1),
          [](db::Session&, Time) -> bool {
              throw db::Failure(db::FailureKind::permanent, "", "broken");
          }},
         {"sound", std::chrono::hours(1), [&](db::Session&, Time) { return ++times < 3; }}},
        database.options(), clock, metrics);
    EXPECT_TRUE(upkeep.run_once(session));
    EXPECT_TRUE(upkeep.run_once(session));
    EXPECT_FALSE(upkeep.run_once(session));
    EXPECT_FALSE(upkeep.run_once(session));
    EXPECT_EQ(times, 3);
}

// Silence for weeks fills a disk; a line a minute is silence, too.
TEST_F(Maintenance, FailureIsLoggedOnceAndWhenItChanges) {
    std::string state = "55P03";
    Upkeep upkeep({{"drop deliveries", std::chrono::milliseconds(0),
                    [&](db::Session&, Time) -> bool {
                        if (state == "fine") return false;
                        throw db::Failure(db::FailureKind::retry, state, "because of " + state);
                    }}},
                  database.options(), clock, metrics);
    const auto warned = [&](const char* now, int times) {
        state = now;
        ::testing::internal::CaptureStderr();
        for (int i = 0; i < times; ++i) upkeep.run_once(session);
        return ::testing::internal::GetCapturedStderr();
    };
    const auto failures = [&] {
        return metrics.gauge("pawl_upkeep_failures", "", {"chore"})
            .with({"drop deliveries"})
            .value();
    };
    const std::string first = warned("55P03", 3);
    EXPECT_NE(first.find("because of 55P03"), std::string::npos) << first;
    EXPECT_EQ(first.find("because of 55P03"), first.rfind("because of 55P03")) << first;
    EXPECT_EQ(failures(), 3);
    EXPECT_NE(warned("42501", 2).find("because of 42501"), std::string::npos);
    EXPECT_EQ(failures(), 5);
    warned("fine", 1);
    EXPECT_EQ(failures(), 0);
    EXPECT_NE(warned("42501", 1).find("because of 42501"), std::string::npos);
}

}  // namespace
}  // namespace pawl::jobs
