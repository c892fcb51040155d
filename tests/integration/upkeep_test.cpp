#include "jobs/upkeep.hpp"

#include "tests/integration/jobs_case.hpp"

namespace pawl::jobs {
namespace {

class Chores : public testing::JobsCase {
  protected:
    void jobs_in(const std::string& state, int count, const std::string& since) {
        database.run(
            "INSERT INTO jobs (id, kind, payload, correlation_id, state, run_at, staged_at, "
            "done_at, last_error) SELECT coalesce((SELECT max(id) FROM jobs), 0) + n, 'test', "
            "'{}', 'c', '" +
            state + "', now() - interval '" + since + "', now() - interval '" + since +
            "', CASE WHEN '" + state + "' <> 'ready' THEN now() - interval '" + since +
            "' END, 'because' FROM generate_series(1, " + std::to_string(count) + ") n");
    }
    db::Session session = database.session();
};

// Lessons 39 and 40, with the clock moved forward.
TEST_F(Chores, OnlyWhatIsOverIsReapedInBoundedStepsHoweverOldTheRestIs) {
    jobs_in("done", 2500, "8 days");
    jobs_in("done", 10, "6 days");
    jobs_in("discarded", 5, "8 days");
    jobs_in("dead", 7, "900 days");
    jobs_in("ready", 9, "900 days");
    const Chore chore = reaping(std::chrono::days(7));
    EXPECT_TRUE(chore.step(session, clock.now()));
    EXPECT_EQ(count("state = 'done'"), "1510");
    while (chore.step(session, clock.now())) {
    }
    EXPECT_EQ(count("state = 'done'"), "10");
    EXPECT_EQ(count("state = 'discarded'"), "0");
    clock.advance(std::chrono::hours(24 * 365));
    while (chore.step(session, clock.now())) {
    }
    EXPECT_EQ(count("state = 'dead'"), "7");
    EXPECT_EQ(count("state = 'ready'"), "9");
    EXPECT_EQ(count(), "16");
}

TEST_F(Chores, TheGaugesSayHowManyJobsThereAreInEachState) {
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

TEST_F(Chores, AChoreThatFailsKeepsNoOtherFromItsTurn) {
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
TEST_F(Chores, OneThatFailsIsToldOnceAndWhenThatChanges) {
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
