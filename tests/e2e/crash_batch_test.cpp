// A delivery with several events is one commit for all of them, or 503: whatever happens between
// the claim and the commit, and whichever of its events it happens to.
#include <gtest/gtest.h>

#include "tests/e2e/receive_case.hpp"
#include "tests/e2e/unavailable.hpp"

namespace pawl::testing {
namespace {

// Three events of the provider "batch", each for an account of its own.
Response send_three(const Server& server) {
    std::string items;
    for (const char* id : {"b1", "b2", "b3"}) {
        items += items.empty() ? "" : ",";
        items += R"({"shop":"mine",)" +
                 body_of({.id = id, .account = std::string("user:") + id}).substr(1);
    }
    const std::string body = "{\"events\":[" + items + "]}";
    DemoSender sender(server.port(), "batch");
    return sender.post(signed_headers("three", body, now(), other_secret), body);
}

int times(const std::string& text, const std::string& part) {
    int count = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// Counts of intents, transfers, and staged or enqueued jobs, and of the transactions that wrote the
// intents.
std::string stored(const TestDatabase& database) {
    return database.value(
        "SELECT concat_ws(' ', (SELECT count(*) FROM webhook_intents), (SELECT count(*) FROM "
        "transfers), (SELECT count(*) FROM balances), (SELECT count(DISTINCT xmin::text) FROM "
        "webhook_intents))");
}
constexpr const char* nothing = "0 0 0 0";
constexpr const char* all_in_one_commit = "3 3 3 1";

void expect_three(const Response& answer, const std::string& duplicate) {
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(times(answer.body, R"("outcome":"applied","duplicate":)" + duplicate), 3)
        << answer.body;
}

struct Place {
    const char* name;
    bool committed;
};
class CrashBatch : public ::testing::TestWithParam<Place> {};

TEST_P(CrashBatch, KilledThereItLeavesAllOfItOrNothing) {
    ReceiveServer shared("", std::string(GetParam().name) + "=kill");
    EXPECT_EQ(send_three(shared.server).status, 0);
    ASSERT_TRUE(shared.server.ended_within(patience));
    EXPECT_EQ(shared.server.how_it_ended(), "killed by signal 9 (SIGKILL)");
    const std::string expected = GetParam().committed ? all_in_one_commit : nothing;
    EXPECT_TRUE(eventually([&] { return stored(shared.database) == expected; }))
        << stored(shared.database);
    shared.server.options().faults.clear();
    shared.server.start();
    expect_three(send_three(shared.server), GetParam().committed ? "true" : "false");
    expect_three(send_three(shared.server), "true");
    EXPECT_EQ(shared.database.value("SELECT sum(amount) || ' ' || count(*) FROM transfers"),
              "300 3");
}

INSTANTIATE_TEST_SUITE_P(At, CrashBatch,
                         ::testing::Values(Place{"after_lock_before_read", false},
                                           Place{"after_claim_before_money", false},
                                           Place{"before_commit", false},
                                           Place{"after_commit_before_reply", true}),
                         [](const auto& tested) { return std::string(tested.param.name); });

class CrashBatchRefused : public ::testing::Test {
  protected:
    // The database refuses the second of the three, in this way.
    void refuse_the_second(const std::string& table, const std::string& column,
                           const std::string& sqlstate) {
        shared.database.run(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "RAISE EXCEPTION 'not this one' USING ERRCODE = '" +
            sqlstate + "'; END $$; CREATE TRIGGER refuse BEFORE INSERT ON " + table +
            " FOR EACH ROW WHEN (" + column + " ~ 'b2$') EXECUTE FUNCTION refuse()");
    }
    void accept_it() { shared.database.run("DROP FUNCTION refuse() CASCADE"); }

    ReceiveServer shared;
};

TEST_F(CrashBatchRefused, AStatementThatFailsForOneEventIsA503AndTakesNoSlotForAny) {
    struct Way {
        const char* table;
        const char* column;
        const char* sqlstate;
    };
    // All other errors, such as a full disk or a permanent collision.
    for (const Way& way : {Way{"transfers", "NEW.credit_account", "P0001"},
                           Way{"webhook_intents", "NEW.event_id", "P0001"},
                           Way{"transfers", "NEW.credit_account", "53100"},
                           Way{"balances", "NEW.account", "40001"}}) {
        refuse_the_second(way.table, way.column, way.sqlstate);
        expect_unavailable(send_three(shared.server));
        EXPECT_EQ(stored(shared.database), nothing) << way.table << " " << way.sqlstate;
        accept_it();
    }
    expect_three(send_three(shared.server), "false");
    EXPECT_EQ(stored(shared.database), all_in_one_commit);
}

// An event whose content the database refuses is quarantined; the others of its batch are
// committed.
TEST_F(CrashBatchRefused, AnEventThatCannotBeStoredIsQuarantinedInTheCommitOfTheOthers) {
    refuse_the_second("transfers", "NEW.credit_account", "22003");
    const auto answer = send_three(shared.server);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(times(answer.body, R"("outcome":"applied")"), 2) << answer.body;
    EXPECT_EQ(times(answer.body, R"("note":"unstorable")"), 1) << answer.body;
    EXPECT_EQ(stored(shared.database), "3 2 2 1");
}

}  // namespace
}  // namespace pawl::testing
