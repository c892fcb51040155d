// Notifications to subscribers by the real program, over HTTP.
#include <algorithm>
#include <set>

#include "tests/e2e/http_client.hpp"
#include "tests/e2e/notify_case.hpp"

namespace pawl::testing {
namespace {

using Notify = NotifyCase;

TEST_F(Notify, TheLibrariesOfSubscribersTakeWhatWeSign) {
    subscribe("shop", "ok", "events = [\"credit.applied\", \"intent.*\"]");
    start();
    deliver(0, 3);
    DemoSender(server->port()).send_bytes("odd", "no JSON");
    ASSERT_TRUE(eventually([&] { return told("ok").size() == 4; })) << refused();
    EXPECT_EQ(refused(), "");
    std::multiset<std::string> types;
    for (const Told& one : told("ok")) types.insert(one.type);
    EXPECT_EQ(types.count("credit.applied"), 3U);
    EXPECT_EQ(types.count("intent.quarantined"), 1U);
    const Told first = told("ok")[0];
    EXPECT_EQ(database.value("SELECT event_id FROM webhook_intents WHERE correlation_id = '" +
                             first.correlation_id + "'"),
              "n0");
    EXPECT_TRUE(eventually([&] { return count("state = 'done'") == "4"; }));
    EXPECT_NE(server->said().find("correlation_id=" + first.correlation_id), std::string::npos);
}

TEST_F(Notify, SubscribersThatHangFailOrCloseDelayNoOtherAndMemoryStaysFlat) {
    subscribe("good", "ok");
    for (const char* bad : {"never", "error", "close", "redirect", "gone"}) {
        subscribe(bad, bad, "events = [\"*\"]\ntimeout = \"2s\"");
    }
    start();
    deliver(0, 100);
    ASSERT_TRUE(eventually([&] { return told("ok").size() == 100; }));
    const long before = server->rss_kb();
    deliver(100, 900);
    ASSERT_TRUE(eventually([&] { return told("ok").size() == 1000; }));
    EXPECT_EQ(times_by_id("ok").size(), 1000U);
    EXPECT_LT(server->rss_kb(), before + 20 * 1024);
    EXPECT_EQ(count("target <> 'good' AND state = 'done'"), "0");
    // In a lane of its own, which may be a few jobs behind.
    EXPECT_TRUE(eventually([&] { return count("target = 'gone' AND state = 'dead'") == "1000"; }))
        << count("target = 'gone' AND state = 'dead'");
    EXPECT_EQ(count("target IN ('never', 'error', 'close', 'redirect') AND state = 'ready'"),
              "4000");
    // The breakers are open: no attempts are used up on unresponsive subscribers.
    EXPECT_LT(std::stoi(count("target IN ('error', 'close', 'redirect') AND attempts > 0")), 200);
}

TEST_F(Notify, KeepsEachAccountsOrderWhileTheSubscriberFails) {
    subscribe("books", "ordered", "events = [\"credit.*\"]\nordered = true");
    subscribe("dead", "close", "events = [\"credit.*\"]\nordered = true");
    start("[work]\nretry_first = \"20ms\"\n");
    deliver(0, 200, 5);
    ASSERT_TRUE(eventually([&] { return count("target = 'books' AND state = 'done'") == "200"; }));
    std::map<std::string, std::vector<std::string>> by_account;
    for (const Told& one : told("ordered")) {
        auto& ids = by_account[one.account];
        if (std::find(ids.begin(), ids.end(), one.id) == ids.end()) ids.push_back(one.id);
    }
    EXPECT_EQ(by_account.size(), 5U);
    for (const auto& [account, ids] : by_account) {
        std::vector<long> numbers;
        for (const std::string& id : ids) {
            numbers.push_back(std::stol(id.substr(id.rfind('_') + 1)));
        }
        EXPECT_EQ(numbers.size(), 40U) << account;
        EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end())) << account;
    }
}

TEST_F(Notify, AnAddressThatIsPrivateIsRefusedUnlessAllowed) {
    subscribe("inside", "ok");
    subscribers.replace(subscribers.find("allow_private = true"), 20, "");
    start();
    deliver(0, 1);
    ASSERT_TRUE(
        eventually([&] { return count("attempts > 0 AND last_error IS NOT NULL") == "1"; }));
    EXPECT_TRUE(told("ok").empty());
}

TEST_F(Notify, AnOperatorLooksAtJobsTriesThemAgainAndDiscardsThem) {
    subscribe("gone", "gone");
    start();
    deliver(0, 2);
    ASSERT_TRUE(eventually([&] { return count("state = 'dead'") == "2"; }));
    HttpClient admin(server->admin_port());
    const providers::Headers token = {{"authorization", std::string("Bearer ") + admin_token}};
    EXPECT_EQ(admin.get("/admin/v1/jobs").status, 401);
    const auto list = admin.request("GET", "/admin/v1/jobs?state=dead&limit=1", token, "");
    EXPECT_NE(list.body.find("\"id\":\"2.gone\""), std::string::npos) << list.body;
    EXPECT_NE(list.body.find("\"next\":\"2.gone\""), std::string::npos) << list.body;
    const auto one = admin.request("GET", "/admin/v1/jobs/1.gone", token, "");
    EXPECT_NE(one.body.find("410 Gone"), std::string::npos) << one.body;
    EXPECT_EQ(admin.request("GET", "/admin/v1/jobs/99", token, "").status, 404);

    const std::string why = R"({"reason":"the subscriber asked for it"})";
    EXPECT_EQ(admin.request("POST", "/admin/v1/jobs/1.gone/retry", token, "{}").status, 400);
    EXPECT_EQ(admin.request("POST", "/admin/v1/jobs/1.gone/retry", token, why).status, 200);
    ASSERT_TRUE(
        eventually([&] { return count("id = 1 AND state = 'dead' AND lease = 3") == "1"; }));
    EXPECT_EQ(admin.request("POST", "/admin/v1/jobs/1.gone/discard", token, why).status, 200);
    EXPECT_EQ(admin.request("POST", "/admin/v1/jobs/1.gone/discard", token, why).status, 409);
    EXPECT_EQ(count("id = 1 AND state = 'discarded'"), "1");
    EXPECT_EQ(database.value("SELECT string_agg(action || ' ' || subject || ' ' || reason, ', ' "
                             "ORDER BY audit_id) FROM audit_log WHERE action LIKE 'job.%'"),
              "job.retry 1.gone the subscriber asked for it, "
              "job.discard 1.gone the subscriber asked for it");
}

// Every staged job runs and is done once, whichever process is killed.
TEST_F(Notify, KilledRepeatedlyItSendsAMessageForEachPosting) {
    subscribe("shop", "flaky", "events = [\"credit.applied\"]");
    start("[work]\nlease = \"3s\"\nretry_first = \"50ms\"\n");
    Server second({.data_dir = folder / "second",
                   .database_url = database.url(),
                   .config = config,
                   .roles = "work,enqueue"});
    second.spawn();
    for (int round = 0; round < 6; ++round) {
        deliver(round * 50, 50);
        Server& victim = round % 2 == 0 ? *server : second;
        victim.kill_now();
        victim.spawn();
        ASSERT_TRUE(server->up_within(patience));
    }
    ASSERT_TRUE(eventually([&] {
        return database.value("SELECT count(*) FROM staged_jobs") == "0" &&
               count("state <> 'done'") == "0";
    })) << count("state <> 'done'");
    EXPECT_EQ(count("true"), "300");
    EXPECT_EQ(times_by_id("flaky").size(), 300U);
    EXPECT_EQ(refused(), "");
}

TEST_F(Notify, SplitIntoProcessesOfOneRoleEachTheyWakeEachOther) {
    subscribe("shop", "ok");
    // Polls are a minute apart: a message within seconds shows that a wake-up was sent.
    write_text(config + "/pawl.toml", "[work]\npoll = \"60s\"\n" + subscribers);
    const auto run = [&](const std::string& roles) {
        auto one = std::make_unique<Server>(ServerOptions{.data_dir = folder / roles,
                                                          .database_url = database.url(),
                                                          .config = config,
                                                          .roles = roles});
        one->spawn();
        return one;
    };
    const auto enqueuing = run("enqueue");
    const auto working = run("work");
    server = run("receive");
    ASSERT_TRUE(server->up_within(patience));
    ASSERT_TRUE(eventually([&] {
        return database.value(
                   "SELECT count(*) FROM pg_stat_activity WHERE application_name = "
                   "'pawl/wakeup-listen' AND datname = current_database()") == "2";
    }));
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) {
        deliver(i, 1);
        ASSERT_TRUE(
            eventually([&] { return told("ok").size() == static_cast<std::size_t>(i) + 1; }));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

}  // namespace
}  // namespace pawl::testing
