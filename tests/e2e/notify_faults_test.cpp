// Notifications while PostgreSQL and workers fail.
#include <signal.h>

#include <atomic>
#include <thread>

#include "tests/e2e/http_client.hpp"
#include "tests/e2e/notify_case.hpp"

namespace pawl::testing {
namespace {

using NotifyFaults = NotifyCase;

bool stands_still(pid_t pid) {
    const std::string stat = read_text("/proc/" + std::to_string(pid) + "/stat");
    const auto name_end = stat.rfind(") ");
    return name_end != std::string::npos && stat[name_end + 2] == 'T';
}

// PostgreSQL restarts under load, and workers must reconnect. Deliveries arrive also while there is
// no PostgreSQL.
TEST_F(NotifyFaults, PostgreSqlRestartsFiveTimesUnderLoadAndTheWorkersReconnect) {
    subscribe("shop", "ok", "events = [\"credit.applied\"]");
    write_text(config + "/pawl.toml", "[work]\nlease = \"5s\"\n" + subscribers);
    server = std::make_unique<Server>(ServerOptions{.data_dir = folder / "own", .config = config});
    server->start();
    const std::string url = server->embedded_url();
    std::atomic<bool> enough{false};
    std::atomic<int> delivered{0};
    std::thread sender([&] {
        while (!enough) {
            deliver(delivered, 1);
            ++delivered;
        }
    });
    for (int restart = 0; restart < 5; ++restart) {
        const int so_far = delivered;
        EXPECT_TRUE(eventually([&] { return delivered >= so_far + 40; }));
        const pid_t before = server->postmaster();
        kill(before, restart % 2 == 0 ? SIGQUIT : SIGKILL);
        EXPECT_TRUE(eventually(
            [&] { return server->postmaster() != 0 && server->postmaster() != before; }));
    }
    const int so_far = delivered;
    EXPECT_TRUE(eventually([&] { return delivered >= so_far + 40; }));
    enough = true;
    sender.join();
    const auto all = static_cast<std::size_t>(delivered);
    ASSERT_TRUE(eventually([&] { return times_by_id("ok").size() == all; }))
        << times_by_id("ok").size() << " of " << all;
    ASSERT_TRUE(eventually([&] {
        return ask(url,
                   "SELECT (SELECT count(*) FROM staged_jobs) + (SELECT count(*) FROM jobs)") ==
               "0";
    }));
    EXPECT_EQ(ask(url, "SELECT count(*) FROM jobs_done"), std::to_string(all));
    EXPECT_TRUE(server->running());
}

// A worker suspended past its lease: the fencing token rejects its late writes.
TEST_F(NotifyFaults, AWorkerThatStoodStillPastItsLeaseSendsNothingAndWritesNothing) {
    subscribe("shop", "ok");
    const std::string settings = "[work]\nlease = \"3s\"\n";
    start(settings, "worker_before_handler=stop@1");
    deliver(0, 1);
    ASSERT_TRUE(eventually([&] { return stands_still(server->pid()); }));
    EXPECT_EQ(count("lease = 1 AND locked_until IS NOT NULL"), "1");

    Server second({.data_dir = folder / "second",
                   .database_url = database.url(),
                   .config = config,
                   .roles = "work"});
    second.spawn();
    ASSERT_TRUE(eventually([&] { return count("state = 'done' AND lease = 2") == "1"; }));
    const std::string row = database.value("SELECT (xmin, j)::text FROM jobs_done j");
    server->signal(SIGCONT);
    ASSERT_TRUE(eventually([&] {
        const std::string page = HttpClient(server->admin_port()).get("/metrics").body;
        return page.find("pawl_stale_writes_rejected_total 1") != std::string::npos;
    }));
    EXPECT_EQ(told("ok").size(), 1U);
    EXPECT_EQ(database.value("SELECT (xmin, j)::text FROM jobs_done j"), row);
}

// A poison job crashes its worker each time, here with a real end of the process.
TEST_F(NotifyFaults, APoisonJobBecomesDead) {
    subscribe("shop", "ok");
    start("[work]\nlease = \"3s\"\n", "worker_before_handler=kill");
    deliver(0, 1);
    for (int times = 0; times < 5; ++times) {
        ASSERT_TRUE(eventually([&] { return !server->running(); })) << times;
        server->spawn();
    }
    ASSERT_TRUE(eventually([&] { return count("state = 'dead'") == "1"; }));
    EXPECT_TRUE(server->up_within(patience));
    EXPECT_EQ(count("attempts = 6 AND last_error LIKE 'its worker crashed 5 times%'"), "1");
    EXPECT_TRUE(told("ok").empty());
}

TEST_F(NotifyFaults, AStoppingWorkerReleasesUnbegunJobsWithoutCountingAnAttempt) {
    subscribe("slow", "never", "events = [\"*\"]\ntimeout = \"2s\"\nconcurrency = 1");
    start();
    deliver(0, 10);
    ASSERT_TRUE(eventually([&] { return count("locked_until IS NOT NULL") == "2"; }));
    server->signal(SIGTERM);
    ASSERT_TRUE(server->ended_within(patience));
    EXPECT_EQ(count("locked_until IS NOT NULL"), "0");
    EXPECT_EQ(count("attempts > 0"), "1");
}

}  // namespace
}  // namespace pawl::testing
