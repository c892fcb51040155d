// Statements that do not end: the database cancels them (statement_timeout), wherever in the
// transaction that happens. 503 in time, no slot taken, and service resumes by itself.
#include <gtest/gtest.h>

#include <vector>

#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/e2e/unavailable.hpp"

namespace pawl::testing {
namespace {

// The trigger sleeps longer than any client waits.
struct Slow {
    const char* name;
    const char* trigger;  // up to EXECUTE FUNCTION
};

class FaultsSlowCase : public ::testing::Test {
  protected:
    FaultsSlowCase() {
        server.start();
        EXPECT_EQ(sender.send({.id = "first", .account = "user:quick"}).status, 200);
    }
    void slow_down(const std::string& trigger, const std::string& seconds = "30") {
        database.run(
            "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "PERFORM pg_sleep(" +
            seconds + "); RETURN NEW; END $$;" + trigger + " EXECUTE FUNCTION slow()");
    }
    void speed_up() { database.run("DROP FUNCTION slow() CASCADE"); }
    // The number of statements it has canceled, by the database's own messages.
    int cancelled() {
        const std::string said = server.said();
        int count = 0;
        for (auto at = said.find(text); at != said.npos; at = said.find(text, at + 1)) ++count;
        return count;
    }
    std::string intents(const std::string& id) {
        return database.value("SELECT count(*) FROM webhook_intents WHERE event_id = '" + id + "'");
    }
    std::string sleeping() {
        return database.value(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' "
            "AND datname = current_database()");
    }

    static constexpr const char* text = "canceling statement due to statement timeout";
    Folder folder;
    TestDatabase database;
    Server server{{.data_dir = folder / "data", .database_url = database.url()}};
    DemoSender sender{server.port()};
};

class FaultsSlow : public FaultsSlowCase, public ::testing::WithParamInterface<Slow> {};

TEST_P(FaultsSlow, AStatementThatIsCancelledIsA503AndTakesNoSlotUntilItIsQuickAgain) {
    slow_down(GetParam().trigger);
    expect_unavailable(sender.send({.id = "slow1"}));
    EXPECT_TRUE(eventually([&] { return cancelled() > 0; })) << "no statement was cancelled";
    expect_unavailable(sender.send({.id = "slow2"}));
    EXPECT_TRUE(eventually([&] { return sleeping() == "0"; })) << "one sleeps on";
    EXPECT_EQ(intents("slow1") + intents("slow2"), "00");
    speed_up();
    for (const char* id : {"slow1", "slow2"}) {
        EXPECT_TRUE(eventually([&] { return sender.send({.id = id}).status == 200; })) << id;
    }
    EXPECT_TRUE(server.running());
    EXPECT_EQ(database.value("SELECT amount FROM balances WHERE account = 'user:1'"), "200");
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "3");
}

INSTANTIATE_TEST_SUITE_P(
    Where, FaultsSlow,
    ::testing::Values(
        Slow{"TheClaim", "CREATE TRIGGER slow BEFORE INSERT ON webhook_intents FOR EACH ROW"},
        Slow{"TheMoney", "CREATE TRIGGER slow BEFORE INSERT ON transfers FOR EACH ROW"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// No timeout of PostgreSQL ends a COMMIT: one that hangs (a deferred trigger here, a standby
// elsewhere) is cut by Pawl's watchdog, and may still take effect later.
TEST_F(FaultsSlowCase, ACommitThatHangsIsA503AndIsFoundDoneOnceItHasLanded) {
    slow_down(
        "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON transfers "
        "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW",
        "4");
    expect_unavailable(sender.send({.id = "hangs"}));
    EXPECT_TRUE(eventually([&] { return intents("hangs") == "1"; })) << "it never landed";
    speed_up();
    EXPECT_TRUE(eventually([&] { return sender.send({.id = "hangs"}).status == 200; }));
    EXPECT_NE(sender.send({.id = "hangs"}).body.find(R"("outcome":"applied","duplicate":true)"),
              std::string::npos);
    EXPECT_EQ(database.value("SELECT amount FROM balances WHERE account = 'user:1'"), "100");
    EXPECT_EQ(cancelled(), 0) << "then a COMMIT can be cancelled after all";
}

TEST_F(FaultsSlowCase, ASlowEventDoesNotStopTheOthersForLong) {
    slow_down(
        "CREATE TRIGGER slow BEFORE INSERT ON transfers FOR EACH ROW "
        "WHEN (NEW.credit_account = 'user:slow')");
    std::vector<DemoSender> together;
    for (int i = 0; i < 6; ++i) {
        together.emplace_back(server.port());
        const std::string account = i == 2 ? "user:slow" : "user:" + std::to_string(i);
        ASSERT_TRUE(together.back().begin({.id = "t" + std::to_string(i), .account = account}));
    }
    for (DemoSender& one : together) {
        const auto answer = one.answer();
        if (answer.status != 200) expect_unavailable(answer);
    }
    for (const int i : {0, 1, 3, 4, 5}) {
        const Payment again{.id = "t" + std::to_string(i), .account = "user:" + std::to_string(i)};
        EXPECT_TRUE(
            eventually([&] { return sender.send(again).status == 200; }, std::chrono::seconds(5)))
            << i;
    }
    EXPECT_EQ(intents("t2"), "0");
    expect_unavailable(sender.send({.id = "t2", .account = "user:slow"}));
    EXPECT_GE(cancelled(), 1);
}

}  // namespace
}  // namespace pawl::testing
