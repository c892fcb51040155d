// Independence of subscribers from each other, and from the ways to run Pawl.
#include <signal.h>

#include <cstdio>

#include "tests/e2e/notify_case.hpp"

namespace pawl::testing {
namespace {

class NotifyNeighbours : public NotifyCase {
  protected:
    // From the fact to "done", for nine of ten.
    double latency_ms(int from, int count) {
        deliver(from, count);
        EXPECT_TRUE(eventually([&] {
            return this->count("target = 'good' AND state = 'done'") ==
                   std::to_string(from + count);
        }));
        return std::stod(database.value(
            "SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY extract(epoch FROM done_at - "
            "staged_at) * 1000) FROM (SELECT done_at, staged_at FROM jobs_done WHERE target = "
            "'good' ORDER BY id DESC LIMIT " +
            std::to_string(count) + ") AS latest"));
    }
};

TEST_F(NotifyNeighbours, WaitNoLongerNextToSubscribersThatHangFailOrClose) {
    constexpr int messages = 300;
    subscribe("good", "ok");
    start();
    const double alone = latency_ms(0, messages);
    server->signal(SIGTERM);
    ASSERT_TRUE(server->ended_within(patience));
    for (const char* bad : {"never", "error", "close", "redirect"}) subscribe(bad, bad);
    start();
    const double among_bad_ones = latency_ms(messages, messages);
    std::printf("  nine of ten within %.1f ms alone, %.1f ms with bad neighbours\n", alone,
                among_bad_ones);
    // A hanging subscriber is waited for for ten seconds: its neighbours must not notice that.
    EXPECT_LT(among_bad_ones, 4 * alone + 250);
}

TEST_F(NotifyNeighbours, ASubscriberNeverHasMoreRequestsAtATimeThanItsSettingSays) {
    subscribe("shop", "busy", "events = [\"*\"]\nconcurrency = 3");
    start();
    deliver(0, 150);
    ASSERT_TRUE(eventually([&] { return told("busy").size() == 150; }));
    EXPECT_EQ(most_at_once(), 3);
}

TEST_F(NotifyNeighbours, ProcessesThatOnlyPollSendEveryMessageAndDoNotListen) {
    subscribe("shop", "ok");
    write_text(config + "/pawl.toml", "[work]\nwake = \"poll\"\npoll = \"100ms\"\n" + subscribers);
    std::vector<std::unique_ptr<Server>> others;
    for (const char* roles : {"enqueue", "work"}) {
        others.push_back(std::make_unique<Server>(ServerOptions{.data_dir = folder / roles,
                                                                .database_url = database.url(),
                                                                .config = config,
                                                                .roles = roles}));
        others.back()->spawn();
    }
    server = std::make_unique<Server>(ServerOptions{.data_dir = folder / "receive",
                                                    .database_url = database.url(),
                                                    .config = config,
                                                    .roles = "receive"});
    server->start();
    deliver(0, 50);
    ASSERT_TRUE(eventually([&] { return count("state = 'done'") == "50"; }));
    EXPECT_EQ(times_by_id("ok").size(), 50U);
    EXPECT_EQ(database.value("SELECT count(*) FROM pg_stat_activity WHERE datname = "
                             "current_database() AND (application_name IN ('pawl/wakeup-listen', "
                             "'pawl/wakeup-notify') OR query ILIKE '%listen%' AND pid <> "
                             "pg_backend_pid())"),
              "0");
}

}  // namespace
}  // namespace pawl::testing
