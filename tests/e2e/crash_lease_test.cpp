// A server is suspended in the middle of its sweep and loses its lease, and another one finishes
// the event. The first resumes: its write is rejected by the fencing token, and counted. Time
// passes by SQL: the lease is moved into the past instead of waiting for its end.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

bool stands_still(pid_t pid) {
    const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
    const auto name_end = stat.rfind(") ");
    return name_end != std::string::npos && stat[name_end + 2] == 'T';
}

class CrashLease : public ::testing::Test {
  protected:
    // The first server's sweeper claims the event, and the whole process stops at the fault point.
    void run_into(const std::string& faults) {
        first.options().faults = faults;
        first.start();
        database.run("INSERT INTO provider_pauses VALUES ('demo', now(), 'ana', 'test')");
        const auto answer = DemoSender(first.port()).send({.id = "e1"});
        ASSERT_EQ(answer.status, 200) << answer.body;
        ASSERT_NE(answer.body.find("\"status\":\"pending\""), std::string::npos) << answer.body;
        database.run("DELETE FROM provider_pauses");
        ASSERT_TRUE(eventually([&] { return stands_still(first.pid()); }));
        ASSERT_EQ(state(), "pending lease 1 attempts 2") << "it did not stop with a claim";
    }
    void a_minute_passes() {
        database.run(
            "UPDATE webhook_intents SET locked_at = locked_at - interval '1 minute', "
            "wake_at = wake_at - interval '1 minute' WHERE event_id IN "
            "(SELECT event_id FROM webhook_intents FOR UPDATE SKIP LOCKED)");
    }
    std::string state() {
        return database.value(
            "SELECT outcome || ' lease ' || lease || ' attempts ' || attempts "
            "FROM webhook_intents WHERE event_id = 'e1'");
    }
    // Every row that says something about money, with the transactions that wrote it.
    std::string everything() {
        return database.value(
            "SELECT concat((SELECT json_agg((i.xmin::text, i)) FROM webhook_intents i),"
            " (SELECT json_agg((d.xmin::text, d)) FROM delivery_blocks d),"
            " (SELECT json_agg((o.xmin::text, o)) FROM open_deliveries o),"
            " (SELECT json_agg((t.xmin::text, t)) FROM transfers t),"
            " (SELECT json_agg((b.xmin::text, b)) FROM balances b),"
            " (SELECT json_agg((q.xmin::text, q)) FROM sequences q),"
            // Moved meanwhile or not: there is one of each.
            " (SELECT json_agg(j ORDER BY id) FROM (SELECT id, payload FROM staged_jobs UNION ALL"
            " SELECT id, payload FROM jobs UNION ALL SELECT id, payload FROM jobs_done) j))");
    }
    // The first resumes, and notices the new owner of the event.
    void expect_that_going_on_writes_nothing() {
        const std::string before = everything();
        first.signal(SIGCONT);
        EXPECT_TRUE(eventually([&] {
            const auto metrics = HttpClient(first.admin_port()).get("/metrics").body;
            return metrics.find("\npawl_stale_writes_rejected_total 1\n") != std::string::npos;
        }));
        EXPECT_EQ(everything(), before);
        EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "1");
        EXPECT_EQ(DemoSender(first.port()).send({.id = "e2"}).status, 200)
            << "it does not continue";
        EXPECT_NE(everything(), before) << "the comparison sees nothing";
    }
    void expect_finished_by_another() {
        second.start();
        const auto finished = [&] {
            if (state().starts_with("applied")) return true;
            a_minute_passes();
            return false;
        };
        ASSERT_TRUE(eventually(finished)) << state();
        EXPECT_EQ(database.value("SELECT amount FROM balances"), "100");
    }

    Folder folder;
    TestDatabase database;
    Server first{{.data_dir = folder / "first", .database_url = database.url()}};
    Server second{{.data_dir = folder / "second", .database_url = database.url()}};
};

TEST_F(CrashLease, ASweeperStoppedPastItsLeaseWritesNothingAndCountsIt) {
    ASSERT_NO_FATAL_FAILURE(run_into("sweeper_after_claim=stop@1"));
    ASSERT_NO_FATAL_FAILURE(expect_finished_by_another());
    expect_that_going_on_writes_nothing();
}

// Stopped inside its transaction it holds locks: PostgreSQL ends that session after its timeout,
// and the other continues. The first has a COMMIT in doubt, enters again, and finds the lease gone.
TEST_F(CrashLease, ASweeperStoppedBeforeItsCommitBlocksNoEventForLongAndWritesNothing) {
    ASSERT_NO_FATAL_FAILURE(run_into("before_commit=stop@2"));  // after the delivery's own
    ASSERT_NO_FATAL_FAILURE(expect_finished_by_another());
    expect_that_going_on_writes_nothing();
}

}  // namespace
}  // namespace pawl::testing
