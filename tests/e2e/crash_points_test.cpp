// The program is killed at each place of the accepting path, and at each of its statements.
// Unanswered deliveries are redelivered: in the end there is exactly one credit.
#include <gtest/gtest.h>
#include <thread>

#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/http_client.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

constexpr const char* token = "pawl_test_admin_token_0123456789";

class CrashCase : public ::testing::Test {
  protected:
    Server server_with(const std::string& faults) {
        return Server({.data_dir = folder / "data",
                       .database_url = database.url(),
                       .faults = faults,
                       .admin_token = token,
                       .variables = {"PAWL_CHAIN_KEY=" + std::string(32, 'k')}});
    }
    // Every invariant, the hash chains from their beginning included.
    static void expect_books_hold(const Server& server) {
        const auto proof =
            HttpClient(server.admin_port())
                .post("/admin/v1/verify", {{"Authorization", std::string("Bearer ") + token}},
                      R"({"deep":true})");
        EXPECT_EQ(proof.status, 200);
        EXPECT_TRUE(proof.body.starts_with(R"({"holds":true,"deep":true,"chained":true)"))
            << proof.body;
    }
    void restart_without_faults(Server& server) {
        server.options().faults.clear();
        server.start();
    }
    std::string intents() { return database.value("SELECT count(*) FROM webhook_intents"); }
    std::string balance() { return database.value("SELECT sum(amount) FROM balances"); }
    std::string transfers() { return database.value("SELECT count(*) FROM transfers"); }

    Folder folder;
    TestDatabase database;
};

struct Place {
    const char* name;
    bool committed;
};
class CrashPoints : public CrashCase, public ::testing::WithParamInterface<Place> {};

TEST_P(CrashPoints, LeaveOneCreditAfterARedelivery) {
    Server server = server_with(std::string(GetParam().name) + "=kill");
    server.start();
    EXPECT_EQ(DemoSender(server.port()).send({.id = "e1"}).status, 0);
    ASSERT_TRUE(server.ended_within(patience));
    EXPECT_EQ(server.how_it_ended(), "killed by signal 9 (SIGKILL)");
    // Its transaction ends when the database notices the closed connection.
    EXPECT_TRUE(eventually([&] { return intents() == (GetParam().committed ? "1" : "0"); }));
    EXPECT_EQ(transfers(), GetParam().committed ? "1" : "0");

    restart_without_faults(server);
    DemoSender sender(server.port());
    const auto again = sender.send({.id = "e1"});
    EXPECT_EQ(again.status, 200);
    const std::string duplicate = GetParam().committed ? "true" : "false";
    EXPECT_NE(again.body.find("\"outcome\":\"applied\",\"duplicate\":" + duplicate),
              std::string::npos)
        << again.body;
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(transfers(), "1");
    EXPECT_EQ(database.value("SELECT (SELECT count(*) FROM staged_jobs) + (SELECT count(*) FROM "
                             "jobs) + (SELECT count(*) FROM jobs_done)"),
              "1");
    EXPECT_EQ(sender.send({.id = "e2"}).status, 200);
    expect_books_hold(server);
}

INSTANTIATE_TEST_SUITE_P(Accept, CrashPoints,
                         ::testing::Values(Place{"after_lock_before_read", false},
                                           Place{"after_claim_before_money", false},
                                           Place{"before_commit", false},
                                           Place{"after_commit_before_chain_head", true},
                                           Place{"after_commit_before_reply", true}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(CrashCase, AtEveryStatementItLeavesOneCreditAfterARedelivery) {
    int killed = 0;
    for (int statement = 1;; ++statement) {
        const std::string id = "s" + std::to_string(statement);
        Server server = server_with("before_statement=kill@" + std::to_string(statement));
        server.spawn();
        // The first statements may be those of its start.
        const bool up = server.up_within(patience);
        const auto answer = DemoSender(server.port()).send({.id = id});
        if (answer.status == 200) break;
        EXPECT_EQ(answer.status, 0) << answer.body;
        EXPECT_TRUE(server.ended_within(patience));
        if (up) ++killed;
        ASSERT_LT(statement, 60) << "it is killed forever";
        restart_without_faults(server);
        EXPECT_EQ(DemoSender(server.port()).send({.id = id}).status, 200);
        EXPECT_EQ(database.value("SELECT count(*) FROM transfers WHERE event_id = '" + id + "'"),
                  "1");
    }
    EXPECT_GE(killed, 8) << "an accepting transaction has more statements than that";
    Server server = server_with("");
    server.start();
    expect_books_hold(server);
    EXPECT_EQ(balance(), std::to_string(100 * std::stoi(transfers())));
}

// The same with a full batch in the transaction, and among others that are answered.
TEST_F(CrashCase, AmongManyEachIsCreditedOnce) {
    constexpr int senders = 60;
    Server server = server_with("before_commit=kill@4,after_commit_before_reply=sleep:5");
    server.start();
    const auto deliver_all = [&] {
        std::atomic<int> acknowledged{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < senders; ++i) {
            threads.emplace_back([&, i] {
                DemoSender sender(server.port());
                const std::string id = "m" + std::to_string(i);
                for (int n = 0; n < 3; ++n) {
                    const std::string nth = id + "_" + std::to_string(n);
                    if (sender.send({.id = nth}).status == 200) ++acknowledged;
                }
            });
        }
        for (auto& thread : threads) thread.join();
        return acknowledged.load();
    };
    const int before = deliver_all();
    EXPECT_TRUE(server.ended_within(patience));
    EXPECT_LT(before, 3 * senders);
    EXPECT_GE(std::stoi(intents()), before) << "an acknowledged event is not there";
    restart_without_faults(server);
    EXPECT_EQ(deliver_all(), 3 * senders);
    EXPECT_EQ(transfers(), std::to_string(3 * senders));
    EXPECT_EQ(balance(), std::to_string(300 * senders));
}

}  // namespace
}  // namespace pawl::testing
