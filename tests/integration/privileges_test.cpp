// Limits of pawl_runtime, the server's role: an attacker that takes over the server can run any
// statement as it.
#include <gtest/gtest.h>

#include <string>

#include "access/audit.hpp"
#include "db/inspect.hpp"
#include "intents/retention/partitions.hpp"
#include "intents/retention/retention.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

using std::chrono::days;

constexpr const char* denied = "42501";

class Privileges : public ::testing::Test {
  protected:
    Privileges() {
        testing::commit(session, {testing::deliver({testing::event({"e1", "capture/1"})}),
                                  testing::deliver({testing::unreadable("no_rule", "x")})});
    }
    void expect_denied(const std::string& statement) {
        try {
            db::Statement::run_script(session, statement);
            ADD_FAILURE() << "was allowed: " << statement;
        } catch (const db::Failure& failure) {
            EXPECT_EQ(failure.sqlstate, denied) << statement << ": " << failure.what();
        }
    }

    testing::TestDatabase database;
    db::Session session = database.session();
};

TEST_F(Privileges, TheServerChangesNeitherBalancesNorTheJournalNorTheAuditLogNorTokens) {
    for (const char* statement :
         {"UPDATE balances SET amount = 1000000", "UPDATE balances SET late_count = 0",
          "INSERT INTO balances (account, currency, amount) VALUES ('user:9', 'USD', 1)",
          "DELETE FROM balances", "SELECT FROM balances FOR UPDATE",
          "INSERT INTO transfers (effect_key, debit_account, credit_account, currency, amount, "
          "provider, event_id, posted_at) VALUES ('x', 'a', 'b', 'USD', 1, 'demo', 'e1', now())",
          "UPDATE transfers SET amount = 1", "DELETE FROM transfers", "TRUNCATE transfers",
          "INSERT INTO audit_log (principal, action, subject, reason) VALUES ('p', 'a', 's', 'r')",
          "UPDATE audit_log SET reason = 'x'", "DELETE FROM audit_log",
          "INSERT INTO api_tokens (principal, role, token_sha256, hint) "
          "VALUES ('p', 'operator', sha256('x'), 'h')",
          "UPDATE api_tokens SET revoked_at = NULL", "UPDATE api_tokens SET principal = 'x'",
          "DELETE FROM api_tokens"}) {
        expect_denied(statement);
    }
}

TEST_F(Privileges, TheServerChangesNothingOfAFinishedEventButItsDeliveries) {
    for (const char* change : {"outcome = 'ignored'",
                               "status = 'quarantined', outcome = 'quarantined', note = 'x', "
                               "done_at = NULL",
                               "amount = 1", "account = 'user:9'", "effect_key = 'x'",
                               "fingerprint = 'x'", "event_id = 'e2'", "done_at = now()",
                               "lease = lease + 1", "delivery_id = NULL", "item_offset = 1"}) {
        expect_denied("UPDATE webhook_intents SET " + std::string(change) +
                      " WHERE event_id = 'e1'");
    }
    expect_denied("DELETE FROM webhook_intents");
    db::Statement::run_script(session, "UPDATE webhook_intents SET deliveries = deliveries + 1");
    EXPECT_EQ(database.value("SELECT outcome || deliveries FROM webhook_intents "
                             "WHERE event_id = 'e1'"),
              "applied2");
}

TEST_F(Privileges, TheServerNeitherChangesNorDeletesBytesThatArrived) {
    for (const char* table : {"delivery_blocks", "delivery_blocks_default", "open_deliveries",
                              "redeliveries", "rejections", "rejections_default"}) {
        expect_denied("DELETE FROM " + std::string(table));
        expect_denied("TRUNCATE " + std::string(table));
        expect_denied("DROP TABLE " + std::string(table));
    }
    for (const char* change : {"delivery_blocks SET raw = ''", "open_deliveries SET body = ''",
                               "redeliveries SET item_length = 0", "rejections SET body = ''"}) {
        expect_denied("UPDATE " + std::string(change));
    }
}

// A block with the number of another would be found instead of it.
TEST_F(Privileges, TheServerChoosesTheNumberOfNoBlock) {
    expect_denied(
        "INSERT INTO delivery_blocks (block_id, received_at, deliveries, raw) "
        "VALUES (1, now(), 1, '\\x01')");
    expect_denied("SELECT setval('delivery_blocks_block_id_seq', 1)");
}

TEST_F(Privileges, ABlockThatCannotBeReadHidesNoOther) {
    const std::string before = database.value("SELECT count(*) FROM webhook_deliveries");
    for (const char* raw : {"", "\\x09", "\\x01ff", "\\x010000000000000000ffffffff",
                            "\\x01000000000000000000000001ff"}) {
        db::Statement::run_script(session,
                                  "INSERT INTO delivery_blocks (received_at, deliveries, raw) "
                                  "VALUES (now(), 1, '" +
                                      std::string(raw) + "')");
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_deliveries WHERE body IS NOT NULL"),
              before);
    EXPECT_EQ(database.value("SELECT count(*) FROM webhook_deliveries WHERE body IS NULL"), "5");
    EXPECT_EQ(database.value("SELECT count(*) FROM delivery_blocks b CROSS JOIN LATERAL "
                             "find_delivery(b.block_id * 4096)"),
              "1");
}

TEST_F(Privileges, TheServerChangesNoModeOfMoneyThatIsPosted) {
    database.run("INSERT INTO installation (mode) VALUES ('live')");
    expect_denied("UPDATE installation SET mode = 'test'");
    EXPECT_EQ(database.value("SELECT mode FROM installation"), "live");
}

TEST_F(Privileges, TheServerMakesNoPartitionOfThePast) {
    const char* const count =
        "SELECT count(*) FROM pg_inherits WHERE inhparent = 'delivery_blocks'::regclass";
    const std::string before = database.value(count);
    database.run("CREATE ROLE test_maker LOGIN IN ROLE pawl_runtime");
    db::Session login = database.owner();
    db::Statement::run_script(login, "SET SESSION AUTHORIZATION test_maker");
    const std::string make = "SELECT pawl.make_partition('delivery_blocks', now() - interval '";
    db::Statement::run_script(login, make + "9 days', 1)");
    EXPECT_EQ(database.value(count), before);
    db::Statement::run_script(login, make + "7 days', 1)");
    EXPECT_EQ(database.value(count), std::to_string(std::stoi(before) + 1));
    database.run("DROP ROLE test_maker");
}

// The books stay what their transfers sum up to, whatever the function is called with.
TEST_F(Privileges, PostingLeavesNoBalanceThatIsNotTheSumOfItsTransfers) {
    const auto post = [this](const std::string& key, const std::string& account,
                             const std::string& version) {
        const std::string balance =
            account.empty()
                ? "'{}', '{}', '{}', '{}', '{}', '{}'"
                : "'{" + account + "}', '{USD}', '{1}', '{0}', '{" + version + "}', '{f}'";
        db::Statement::run_script(
            session, "SELECT post_transfers('{" + key +
                         "}', '{demo:clearing}', '{user:9}', '{USD}', '{500}', '{demo}', '{e1}', "
                         "'{1}', now(), '{NULL}', '{NULL}', " +
                         balance + ")");
    };
    EXPECT_THROW(post("new/1", "", ""), db::Failure) << "the account that moved is not named";
    EXPECT_THROW(post("new/1", "user:8", "0"), db::Failure) << "another is named";
    post("new/1", "user:9", "0");
    EXPECT_THROW(post("new/2", "user:9", "0"), db::Failure) << "it is not as it was read";
    post("new/2", "user:9", "1");
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "3");
    EXPECT_EQ(database.value("SELECT count(*) FROM balances"), "2");
    EXPECT_EQ(database.value("SELECT amount FROM balances WHERE account = 'user:9'"), "1000");
}

TEST_F(Privileges, AnAuditRowIsWrittenNowAndSaysWhy) {
    db::Transaction transaction(session);
    access::record(transaction, {"ana", "intent.retry", "demo/e1", "because"});
    transaction.commit();
    EXPECT_EQ(database.value("SELECT principal || ' ' || reason FROM audit_log"), "ana because");
    EXPECT_EQ(database.value("SELECT at > now() - interval '1 minute' FROM audit_log"), "t");
    db::Transaction without_reason(session);
    EXPECT_THROW(access::record(without_reason, {"ana", "intent.retry", "demo/e1", ""}),
                 db::Failure);
}

TEST_F(Privileges, ALoginThatCouldDoMoreThanTheServerIsSeen) {
    database.run("CREATE ROLE test_login LOGIN IN ROLE pawl_runtime");
    db::Session login = database.owner();
    db::Statement::run_script(login, "SET SESSION AUTHORIZATION test_login");
    EXPECT_EQ(db::rights_beyond_runtime(login), std::vector<std::string>());
    database.run("GRANT pawl_owner TO test_login; ALTER ROLE test_login CREATEDB");
    EXPECT_EQ(db::rights_beyond_runtime(login),
              (std::vector<std::string>{"may create databases", "is a member of pawl_owner"}));
    db::Session superuser = database.owner();
    EXPECT_EQ(db::rights_beyond_runtime(superuser), std::vector<std::string>{"is a superuser"});
    database.run("DROP ROLE test_login");
}

// The names in a body that is stored parsed (prosqlbody) were looked up when it was made.
TEST_F(Privileges, EveryFunctionLooksUpItsNamesInTheCatalogAlone) {
    EXPECT_EQ(database.value("SELECT string_agg(oid::regprocedure::text, ', ') FROM pg_proc "
                             "WHERE pronamespace = 'pawl'::regnamespace AND prosqlbody IS NULL "
                             "AND NOT coalesce(proconfig @> "
                             "'{\"search_path=pg_catalog, pg_temp\"}', false)"),
              "");
    EXPECT_EQ(database.value("SELECT string_agg(oid::regprocedure::text, ', ') FROM pg_proc "
                             "WHERE pronamespace = 'pawl'::regnamespace AND prosecdef "
                             "AND prosqlbody IS NOT NULL"),
              "");
    EXPECT_EQ(database.value("SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p "
                             "WHERE p.pronamespace = 'pawl'::regnamespace AND (p.proacl IS NULL "
                             "OR EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee = 0))"),
              "")
        << "executable by every role";
    EXPECT_NE(database.value("SELECT count(*) FROM pg_proc "
                             "WHERE pronamespace = 'pawl'::regnamespace AND prosecdef"),
              "0");
}

// As in PostgreSQL 14, in which every role may create functions in public.
TEST_F(Privileges, AFunctionOfTheServersOwnDoesNotRunWithTheRightsOfTheOwner) {
    database.run("GRANT CREATE, USAGE ON SCHEMA public TO PUBLIC");
    db::Statement::run_script(session, "SET search_path = public, pawl");
    for (const char* types : {"text, name, text", "text, text, text", "text, name", "text, text"}) {
        db::Statement::run_script(
            session, "CREATE FUNCTION public.format(" + std::string(types) +
                         ") RETURNS text LANGUAGE plpgsql AS 'BEGIN DELETE FROM pawl.transfers; "
                         "RETURN pg_catalog.concat($1, $2); END'");
    }
    const Time now = SystemClock().now();
    intents::make_partitions(session, now + days(400));
    for (const jobs::Chore& chore : intents::delivery_chores(days(30), days(7))) {
        chore.step(session, now);
    }
    EXPECT_EQ(database.value("SELECT count(*) FROM transfers"), "1");
}

}  // namespace
}  // namespace pawl
