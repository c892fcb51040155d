// The schema as the catalog has it: what every table, column and index must have, whichever
// migration made it.
#include <gtest/gtest.h>

#include "db/inspect.hpp"
#include "tests/support/database.hpp"

namespace pawl {
namespace {

TEST(Schema, EveryTableAndColumnHasAComment) {
    const testing::TestDatabase database;
    EXPECT_EQ(database.value(R"(
        SELECT string_agg(c.relname || coalesce('.' || a.attname, ''), ', ')
        FROM pg_class c
        CROSS JOIN LATERAL (
            SELECT 0 AS attnum, NULL AS attname
            UNION ALL
            SELECT attnum, attname FROM pg_attribute
            WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS a
        WHERE c.relnamespace = 'pawl'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
          AND NOT c.relispartition
          AND coalesce(CASE WHEN a.attnum = 0 THEN obj_description(c.oid, 'pg_class')
                            ELSE col_description(c.oid, a.attnum) END, '') = '')"),
              "");
    EXPECT_NE(database.value("SELECT obj_description('transfers'::regclass, 'pg_class')"), "");
}

// In another collation an upgrade of the operating system may change the order, and a unique key
// no longer finds what it holds.
TEST(Schema, EveryTextColumnOfAnIndexHasTheCollationC) {
    const testing::TestDatabase database;
    const char* others = R"(
        SELECT string_agg(format('%s (%s)', i.indexrelid::regclass, sorted.by::regcollation),
                          ', ')
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indrelid
        CROSS JOIN LATERAL unnest(i.indcollation::oid[]) AS sorted (by)
        WHERE c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'pg_toast'::regnamespace)
          AND sorted.by NOT IN (0, '"C"'::regcollation))";
    EXPECT_EQ(database.value(others), "");
    database.run("CREATE INDEX without ON jobs (last_error)");
    EXPECT_NE(database.value(others).find("without"), std::string::npos);
}

TEST(Schema, HasAllItsTablesInOneSchema) {
    const testing::TestDatabase database;
    EXPECT_EQ(database.value("SELECT string_agg(relname, ', ') FROM pg_class WHERE relkind IN "
                             "('r', 'p', 'v') AND relnamespace = 'public'::regnamespace"),
              "");
}

// By the names that other programs read.
TEST(Schema, HasTheTablesAndColumnsThatOtherProgramsRead) {
    const testing::TestDatabase database;
    const std::pair<const char*, const char*> tables[] = {
        {"webhook_intents",
         "provider, event_id, event_type, status, outcome, note, locked_at, lease, attempts, "
         "deliveries, body_sha256, delivery_id, item_offset, item_length, account, object, "
         "sequence, occurred_at, source, result, correlation_id, received_at, done_at"},
        {"transfers",
         "id, effect_key, payment_key, debit_account, credit_account, currency, amount, provider, "
         "event_id, payment_id, refund_id, entry_id, reverses, corrects, source, reason, sequence, "
         "occurred_at, posted_at, chain_prev, chain_hash"},
        {"balances", "account, currency, amount, last_event_sequence, late_count, version"},
        {"sequences", "books, scope, last, gap_since"},
        {"orders", "order_id, account, gateway, currency, amount, captured, returned, state"},
        {"payments",
         "payment_id, order_id, attempt, state, gateway, books, reference, amount, captured, "
         "capturable, returned"},
        {"captures", "payment_id, n, key, state, amount, final, reference"},
        {"refunds", "refund_id, payment_id, order_id, n, key, state, amount, currency, reference"},
        {"disputes", "books, dispute_id, payment_key, payment_id, state"},
        {"rejections", "id, provider, diagnosis, received_at"},
        {"webhook_deliveries", "delivery_id, received_at, headers, body, verdict"},
        {"jobs_done", "id, state, done_at"},
        {"external_calls", "key"},
        {"audit_log", "chain_prev, chain_hash"},
        {"processed_messages", "consumer_group, message_id"},
        {"source_offsets", "source"},
    };
    for (const auto& [table, columns] : tables) {
        EXPECT_NO_THROW(
            database.value(std::string("SELECT count((") + columns + ")) FROM pawl." + table))
            << table;
    }
}

struct Causes {
    const char* columns;
    const char* values;
    bool allowed;
};

TEST(Schema, ATransferHasExactlyOneCause) {
    const testing::TestDatabase database;
    const Causes cases[] = {
        {"provider, event_id", "'demo', 'e1'", true},
        {"payment_id", "'p1'", true},
        {"refund_id", "'r1'", true},
        {"entry_id, reason", "'o1', 'agreed'", true},
        {"reason", "'none'", false},
        {"provider, event_id, payment_id", "'demo', 'e1', 'p1'", false},
        {"payment_id, refund_id", "'p1', 'r1'", false},
        {"event_id", "'e1'", false},
        {"entry_id", "'o1'", false},
    };
    int n = 0;
    for (const Causes& one : cases) {
        const std::string insert =
            std::string(
                "INSERT INTO transfers (effect_key, debit_account, credit_account, "
                "currency, amount, posted_at, ") +
            one.columns + ") VALUES ('k" + std::to_string(++n) +
            "', 'a:clearing', 'b', 'USD', 1, now(), " + one.values + ")";
        if (one.allowed) {
            EXPECT_NO_THROW(database.run(insert)) << one.columns;
        } else {
            EXPECT_THROW(database.run(insert), db::Failure) << one.columns;
        }
    }
}

TEST(Schema, DoctorSeesACollationWhoseVersionHasChanged) {
    const testing::TestDatabase database;
    db::Session session = database.owner();
    if (std::stoi(db::durability(session)["server_version_num"]) < 150000) {
        GTEST_SKIP() << "PostgreSQL records the version of a database's collation from 15 on";
    }
    EXPECT_TRUE(db::changed_collations(session).empty());
    database.run(
        "CREATE INDEX careless ON jobs (last_error); "
        "UPDATE pg_database SET datcollversion = 'old' WHERE datname = "
        "current_database()");
    const auto changed = db::changed_collations(session);
    ASSERT_EQ(changed.size(), 1U);
    EXPECT_EQ(changed[0].recorded, "old");
    EXPECT_EQ(changed[0].indexes, "careless");
}

}  // namespace
}  // namespace pawl
