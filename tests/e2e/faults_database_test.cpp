// Faults of the embedded database: stopped, killed, read-only, locked, crowded. Each time a
// provider gets 503 in time, acknowledged events are kept, and service resumes by itself.
#include <gtest/gtest.h>
#include <signal.h>

#include <list>

#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/e2e/unavailable.hpp"

namespace pawl::testing {
namespace {

db::SessionOptions options_for_url(const std::string& url) {
    db::SessionOptions options;
    options.url = url;
    options.name = "crowd";
    options.idle_in_transaction_timeout = std::chrono::minutes(2);
    return options;
}

class FaultsDatabase : public ::testing::Test {
  protected:
    FaultsDatabase() {
        server.start();
        url = server.embedded_url();
        EXPECT_EQ(sender.send({.id = "first"}).status, 200);
    }

    std::string value(const std::string& sql) { return ask(url, sql); }
    std::string intents(const std::string& id) {
        return value("SELECT count(*) FROM webhook_intents WHERE event_id = '" + id + "'");
    }
    void throw_out_the_server() {
        run_sql(url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name "
                "LIKE 'pawl/%' AND pid <> pg_backend_pid()");
    }
    // Until `id` is accepted; meanwhile nothing but 503 may be said.
    void expect_service_again(const std::string& id) {
        EXPECT_TRUE(eventually([&] {
            const auto answer = sender.send({.id = id});
            if (answer.status != 200) expect_unavailable(answer);
            return answer.status == 200;
        }));
        // A process of the killed server may still have answered: refusals continue a while.
        EXPECT_TRUE(eventually([&] {
            try {
                return intents(id) == "1";
            } catch (const db::Failure&) {
                return false;
            }
        }));
    }
    void expect_balance(int credits) {
        EXPECT_EQ(value("SELECT amount FROM balances"), std::to_string(credits * 100));
        EXPECT_EQ(value("SELECT count(*) FROM transfers"), std::to_string(credits));
    }

    Folder folder;
    Server server{{.data_dir = folder / "data"}};
    DemoSender sender{server.port()};
    std::string url;
};

TEST_F(FaultsDatabase, AStoppedDatabaseIsA503UntilItResumes) {
    const auto processes = server.postgres_processes();
    ASSERT_GT(processes.size(), 1U);
    for (const pid_t pid : processes) kill(pid, SIGSTOP);
    for (int i = 0; i < 3; ++i) expect_unavailable(sender.send({.id = "stopped"}));
    for (const pid_t pid : processes) kill(pid, SIGCONT);
    expect_service_again("stopped");
    expect_balance(2);
}

TEST_F(FaultsDatabase, KilledItIsStartedAgainAndServiceResumes) {
    for (int round = 0; round < 3; ++round) {
        const std::string id = "killed" + std::to_string(round);
        kill(server.postmaster(), SIGKILL);
        expect_service_again(id);
    }
    EXPECT_TRUE(server.running());
    expect_balance(4);
}

// A restart ends every session. No delivery may fail because of that, also not minutes later, when
// it is the first on a session.
TEST_F(FaultsDatabase, RestartedItCostsNoDeliveryASingle503) {
    const auto committers = [this] {
        return value(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = "
            "'pawl/committer'");
    };
    std::list<DemoSender> crowd;
    for (int i = 0; i < 8; ++i) crowd.emplace_back(server.port());
    int sent = 0;
    const auto connect_all_committers = [&] {
        for (DemoSender& one : crowd) one.begin({.id = "crowd" + std::to_string(sent++)});
        for (DemoSender& one : crowd) EXPECT_EQ(one.answer().status, 200);
        return committers() == "2";
    };
    for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE(eventually(connect_all_committers));
        const pid_t before = server.postmaster();
        kill(before, SIGINT);  // PostgreSQL's fast shutdown; it is started again by its supervisor
        ASSERT_TRUE(eventually([&] {
            if (server.postmaster() == before) return false;
            try {
                return value("SELECT 1") == "1";
            } catch (const db::Failure&) {
                return false;
            }
        }));
        for (int i = 0; i < 12; ++i) {
            const std::string id = "after" + std::to_string(round) + "_" + std::to_string(i);
            const auto answer = sender.send({.id = id});
            // On a machine with much to do it may have had its time, which a failure does not take.
            const bool late = answer.status == 503 && answer.took > std::chrono::seconds(1);
            EXPECT_TRUE(answer.status == 200 || late) << id << " " << answer.status;
        }
    }
}

TEST_F(FaultsDatabase, AKilledProcessIsARecoveryAndServiceResumes) {
    const std::string backend =
        value("SELECT pid FROM pg_stat_activity WHERE application_name = 'pawl/committer' LIMIT 1");
    ASSERT_NE(backend, "");
    kill(std::atoi(backend.c_str()), SIGKILL);
    expect_service_again("crashed");
    expect_balance(2);
}

// A foreign migration, or an open BEGIN in psql.
class LockedTable {
  public:
    LockedTable(const std::string& url, const std::string& statement)
        : session_(options_for_url(url)), transaction_(session_) {
        transaction_.run_script(statement);
    }

  private:
    db::Session session_;
    db::Transaction transaction_;
};

TEST_F(FaultsDatabase, ALockedTableIsA503UntilItIsReleased) {
    for (const char* table : {"webhook_intents", "transfers", "balances"}) {
        const std::string id = std::string("locked_") + table;
        {
            const LockedTable locked(
                url, "LOCK TABLE " + std::string(table) + " IN ACCESS EXCLUSIVE MODE");
            for (int i = 0; i < 3; ++i) expect_unavailable(sender.send({.id = id}));
        }
        expect_service_again(id);
    }
    expect_balance(4);
}

// Its sender got 503. Deliveries that no committer had begun are left to the redelivery; one in
// progress is committed once.
TEST_F(FaultsDatabase, ADeliveryAnswered503IsPostedOnceByItsRedeliveryOrBefore) {
    {
        const LockedTable locked(url, "LOCK TABLE webhook_intents IN ACCESS EXCLUSIVE MODE");
        expect_unavailable(sender.send({.id = "refused"}));
        expect_unavailable(sender.send({.id = "refused2"}));
    }
    expect_service_again("other");
    EXPECT_EQ(intents("refused"), "0") << "it was begun again after its time";
    expect_service_again("refused");
    expect_service_again("refused2");
    expect_balance(4);
}

// The database turns read-only, first for new transactions, and then for running ones.
TEST_F(FaultsDatabase, ReadOnlyItIsA503AndTakesNoSlotUntilItMayBeWrittenAgain) {
    url += "&options=-c%20default_transaction_read_only%3Doff";  // permitted
    const std::string switched = "default_transaction_read_only";
    for (const char* whom : {"DATABASE pawl", "SYSTEM"}) {
        const std::string id = std::string("readonly_") + whom;
        run_sql(url, std::string("ALTER ") + whom + " SET " + switched + " = on");
        run_sql(url, "SELECT pg_reload_conf()");
        if (std::string_view(whom) != "SYSTEM") throw_out_the_server();
        EXPECT_TRUE(eventually([&] { return sender.send({.id = id}).status != 200; }));
        for (int i = 0; i < 3; ++i) expect_unavailable(sender.send({.id = id + "_refused"}));
        EXPECT_EQ(intents(id + "_refused"), "0");
        run_sql(url, std::string("ALTER ") + whom + " RESET " + switched);
        run_sql(url, "SELECT pg_reload_conf()");
        expect_service_again(id + "_refused");
    }
    EXPECT_EQ(value("SELECT sum(amount) FROM transfers"), value("SELECT amount FROM balances"));
}

// Other clients have taken every connection.
TEST_F(FaultsDatabase, WithNoConnectionLeftItIsA503UntilThereIsOne) {
    std::list<db::Session> crowd;
    const auto fill = [&] {
        try {
            for (;;) crowd.emplace_back(options_for_url(url)).connect();
        } catch (const db::Failure&) {
            crowd.pop_back();
        }
    };
    fill();
    const db::Query servers{"test_servers",
                            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                            "WHERE application_name LIKE 'pawl/%' "
                            "AND application_name <> 'pawl/crowd'"};
    // Until it was slower than the test each time.
    ASSERT_TRUE(eventually([&] {
        const bool alone = db::Statement::run(crowd.front(), servers).number() == 0;
        fill();
        return alone;
    }));
    for (int i = 0; i < 3; ++i) expect_unavailable(sender.send({.id = "crowded"}));
    const db::Query stored{"test_stored",
                           "SELECT count(*) FROM webhook_intents WHERE event_id = 'crowded'"};
    EXPECT_EQ(db::Statement::run(crowd.front(), stored).number(), 0);
    crowd.clear();
    expect_service_again("crowded");
    expect_balance(2);
}

TEST_F(FaultsDatabase, ALockedAccountDoesNotStopTheOthersForLong) {
    const LockedTable locked(url, "SELECT FROM balances WHERE account = 'user:1' FOR UPDATE");
    expect_unavailable(sender.send({.id = "hot"}));
    const auto began = std::chrono::steady_clock::now();
    EXPECT_TRUE(
        eventually([&] { return sender.send({.id = "cold", .account = "user:2"}).status == 200; }));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(8));
}

}  // namespace
}  // namespace pawl::testing
