// The wire between the program and its database: cut, held, and cut while a COMMIT is on its way.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/e2e/database_proxy.hpp"
#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/e2e/unavailable.hpp"

namespace pawl::testing {
namespace {

class FaultsConnection : public ::testing::Test {
  protected:
    FaultsConnection() {
        server.start();
        // Committers connect when they first have work: both must have connected before the faults
        // begin.
        EXPECT_EQ(sender.send({.id = "warm1", .account = "user:warm"}).status, 200);
        EXPECT_EQ(sender.send({.id = "warm2", .account = "user:warm"}).status, 200);
    }

    std::string balance() {
        return database.value("SELECT amount FROM balances WHERE account = 'user:1'");
    }
    void expect_service_again(std::chrono::milliseconds limit = patience) {
        EXPECT_TRUE(eventually([&] { return sender.send({.id = "later"}).status == 200; }, limit));
    }
    // Redelivered for as long as the answer is 503, as senders do: on a busy machine another
    // connection may take longer than answer_timeout.
    void expect_taken(const std::string& id) {
        EXPECT_TRUE(eventually([&] {
            const Response answer = sender.send({.id = id});
            EXPECT_TRUE(answer.status == 200 || answer.status == 503) << answer.body;
            return answer.status == 200;
        })) << id;
    }

    Folder folder;
    TestDatabase database;
    DatabaseProxy proxy{database.url()};
    Server server{{.data_dir = folder / "data", .database_url = proxy.url()}};
    DemoSender sender{server.port()};
};

// In-doubt commit: it took effect, its answer was lost. Taken for a failure, it would post twice.
TEST_F(FaultsConnection, ACommitWhoseAnswerIsLostIsFoundAgainAndAnswered) {
    proxy.lose_next_commits_answer();
    const auto answer = sender.send({.id = "e1"});
    EXPECT_EQ(proxy.commits_lost(), 1);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_NE(answer.body.find(R"("outcome":"applied")"), std::string::npos) << answer.body;
    EXPECT_EQ(sender.send({.id = "e1"}).status, 200);
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers WHERE event_id = 'e1'"), "1");
}

TEST_F(FaultsConnection, ACommitThatNeverArrivedIsMadeAgain) {
    proxy.lose_next_commit();
    const auto answer = sender.send({.id = "e1"});
    EXPECT_EQ(proxy.commits_lost(), 1);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_NE(answer.body.find(R"("outcome":"applied","duplicate":false)"), std::string::npos);
    EXPECT_EQ(balance(), "100");
}

TEST_F(FaultsConnection, ManyCommitsWhoseAnswersAreLostInARowStillCountOnce) {
    for (int i = 0; i < 20; ++i) {
        i % 2 == 0 ? proxy.lose_next_commits_answer() : proxy.lose_next_commit();
        const std::string id = "row" + std::to_string(i);
        expect_taken(id);
        EXPECT_EQ(sender.send({.id = id}).status, 200);
    }
    EXPECT_EQ(proxy.commits_lost(), 20);
    EXPECT_EQ(balance(), "2000");
}

TEST_F(FaultsConnection, AnUnreachableDatabaseIsA503UntilItIsReachable) {
    proxy.set(DatabaseProxy::Mode::refuse);
    for (int i = 0; i < 4; ++i) expect_unavailable(sender.send({.id = "e1"}));
    proxy.set(DatabaseProxy::Mode::carry);
    expect_service_again();
    EXPECT_EQ(sender.send({.id = "e1"}).status, 200);
    EXPECT_EQ(balance(), "200");
}

TEST_F(FaultsConnection, ADatabaseThatHangsIsA503UntilItMovesAgain) {
    proxy.set(DatabaseProxy::Mode::hold);
    for (int i = 0; i < 4; ++i) expect_unavailable(sender.send({.id = "e1"}));
    proxy.set(DatabaseProxy::Mode::carry);
    expect_service_again();
    EXPECT_EQ(sender.send({.id = "e1"}).status, 200);
    EXPECT_EQ(balance(), "200");
}

// A vanished host, or a firewall that dropped its state: the connections are never closed.
TEST_F(FaultsConnection, ConnectionsThatHangForGoodAreLeftForNewOnes) {
    proxy.set(DatabaseProxy::Mode::hold_old);
    expect_unavailable(sender.send({.id = "e1"}));
    expect_service_again(std::chrono::seconds(12));
    // Locks of the old connections are free once the database has ended them itself.
    EXPECT_TRUE(eventually([&] { return sender.send({.id = "e1"}).status == 200; },
                           std::chrono::seconds(25)));
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers WHERE event_id = 'e1'"), "1");
    const auto credits =
        std::stoi(database.value("SELECT count(*) FROM transfers WHERE credit_account = 'user:1'"));
    EXPECT_EQ(balance(), std::to_string(100 * credits));
}

// Containers are killed ten seconds after SIGTERM.
TEST_F(FaultsConnection, SigtermEndsItInTimeWhileTheDatabaseHangs) {
    proxy.set(DatabaseProxy::Mode::hold);
    expect_unavailable(sender.send({.id = "e1"}));
    server.signal(SIGTERM);
    EXPECT_TRUE(server.ended_within(std::chrono::seconds(12)))
        << "it waits for a database that does not answer";
}

}  // namespace
}  // namespace pawl::testing
