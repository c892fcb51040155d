// The table of what statements touch, held against their SQL and against the catalog.
#include <gtest/gtest.h>

#include <regex>

#include "access/sql.hpp"
#include "intents/sql.hpp"
#include "jobs/sql.hpp"
#include "ledger/sql.hpp"
#include "tests/integration/footprints.hpp"
#include "tests/support/database.hpp"

namespace pawl {
namespace {

using testing::commute;
using testing::declared_uses;
using testing::Footprint;
using testing::footprint_of;
using testing::Use;
using testing::Uses;

std::map<std::string, std::string> sql_by_name() {
    std::map<std::string, std::string> all;
    const auto add = [&all](const auto& list) {
        for (const db::Query* query : list) {
            const std::string text(query->text);
            all[std::string(query->name)] = std::regex_replace(text, std::regex("--[^\n]*"), "");
        }
    };
    add(access::sql::all);
    add(intents::sql::all);
    add(jobs::sql::all);
    add(ledger::sql::all);
    return all;
}

bool has(const std::string& sql, const std::string& pattern) {
    return std::regex_search(sql, std::regex("\\b" + pattern + "\\b"));
}

// Returns the tables that a text names, and the strongest use of each, as far as its words show: a
// lock on rows of one table counts for all tables that the text names.
Uses uses_in(const std::string& sql, const std::set<std::string>& tables,
             const std::set<std::string>& numbered) {
    Uses uses;
    const bool locks = has(sql, "FOR (UPDATE|NO KEY UPDATE|SHARE|KEY SHARE)");
    for (const std::string& table : tables) {
        if (!has(sql, table)) continue;
        Use& use = uses.try_emplace(table, Use::reads).first->second;
        if (has(sql, "INSERT INTO " + table)) {
            use = numbered.contains(table) ? Use::appends : Use::writes;
        }
        if (locks || has(sql, "(UPDATE|DELETE FROM) " + table)) use = Use::writes;
    }
    return uses;
}

std::set<std::string> names(const testing::TestDatabase& database, const std::string& sql) {
    db::Session session = database.owner();
    std::set<std::string> all;
    const std::string named = "SELECT relname FROM (" + sql + ") AS found (relname)";
    for (const auto& row : db::Statement::run(session, db::Query{"test_names", named}).named()) {
        all.insert(row.at("relname"));
    }
    return all;
}

// A statement, and the functions of the owner that it calls: their tables without the schema.
std::string with_functions(const testing::TestDatabase& database, std::string sql) {
    db::Session session = database.owner();
    const db::Query query{"test_functions",
                          "SELECT proname, prosrc FROM pg_proc "
                          "WHERE pronamespace = 'pawl'::regnamespace"};
    const std::string called = sql;
    for (const auto& row : db::Statement::run(session, query).named()) {
        if (!has(called, row.at("proname"))) continue;
        sql += std::regex_replace(row.at("prosrc"), std::regex("pawl\\."), "");
    }
    return sql;
}

const std::string tables_here =
    "SELECT relname FROM pg_class c WHERE relkind IN ('r', 'p', 'v', 'm') AND NOT relispartition "
    "AND relnamespace = 'pawl'::regnamespace";
// Tables in which two rows conflict only by a number that the table generates.
const std::string numbered_tables =
    " AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attidentity <> '') "
    "AND NOT EXISTS (SELECT FROM pg_index i WHERE indrelid = c.oid AND indisunique AND NOT "
    "(indnatts = 1 AND (SELECT attidentity <> '' FROM pg_attribute WHERE attrelid = c.oid "
    "AND attnum = i.indkey[0])))";

TEST(Footprints, AreWhatTheStatementsSay) {
    const testing::TestDatabase database;
    const auto tables = names(database, tables_here);
    const auto numbered = names(database, tables_here + numbered_tables);
    auto sql = sql_by_name();
    for (const auto& [statement, uses] : declared_uses()) {
        if (statement == "the next balance") continue;  // part of one: gates.cpp
        const auto found = sql.find(std::string(statement));
        ASSERT_NE(found, sql.end()) << statement << " is not a statement of the product";
        found->second = with_functions(database, found->second);
        EXPECT_EQ(uses, uses_in(found->second, tables, numbered)) << statement;
        // A statement that skips locked rows must not be declared.
        EXPECT_FALSE(has(found->second, "SKIP LOCKED|NOWAIT|pg_try_\\w+")) << statement;
        // Advisory locks count as steps of their own where a gate stands before them.
        EXPECT_EQ(has(found->second, "pg_\\w*advisory\\w*"), statement == "intents_lock");
        // The effects of the owner's other functions are not in the text.
        EXPECT_FALSE(has(found->second, "pawl\\.\\w+")) << statement;
    }
}

TEST(Footprints, NoTableDoesMoreThanItsStatementsSay) {
    const testing::TestDatabase database;
    std::set<std::string> touched;
    for (const auto& [statement, uses] : declared_uses()) {
        for (const auto& [table, use] : uses) touched.insert(table);
    }
    for (const char* hidden :
         {"SELECT tgrelid::regclass::text FROM pg_trigger "
          "WHERE tgfoid <> 'refuse_change_of_finished'::regproc",  // it refuses, and does no more
          "SELECT conrelid::regclass::text FROM pg_constraint WHERE contype IN ('f', 'x')",
          "SELECT confrelid::regclass::text FROM pg_constraint WHERE contype = 'f'",
          "SELECT ev_class::regclass::text FROM pg_rewrite"}) {
        for (const std::string& table : names(database, hidden)) {
            EXPECT_FALSE(touched.contains(table)) << table << ": " << hidden;
        }
    }
}

TEST(Footprints, UndeclaredStatementTouchesEverything) {
    const Footprint news = footprint_of("intents_a_statement_of_tomorrow");
    for (const auto& [statement, uses] : declared_uses()) {
        EXPECT_FALSE(commute(news, footprint_of(statement))) << statement;
        EXPECT_FALSE(commute(footprint_of(statement), news)) << statement;
    }
    testing::Trail trail;
    trail.add(news);
    EXPECT_FALSE(commute(trail.next("commit"), footprint_of("intents_circumstances")));
}

TEST(Footprints, TwoCommuteUnlessBothWriteOrOneCommitsWhatTheOtherTouches) {
    testing::Trail inserted;
    inserted.add(footprint_of("intents_insert_intents"));
    inserted.add(footprint_of("jobs_stage_jobs"));
    testing::Trail locked;
    locked.add(footprint_of("lock 7"));
    const Footprint nothing = testing::Trail().next("commit");
    const struct {
        const char* name;
        Footprint one, other;
        bool commute;
    } table[] = {
        {"two read", footprint_of("intents_read_intents"), footprint_of("intents_read_intents"),
         true},
        {"one reads what is not committed", footprint_of("intents_read_intents"),
         footprint_of("intents_insert_intents"), true},
        {"two write", footprint_of("intents_insert_intents"),
         footprint_of("intents_finish_intents"), false},
        {"two write different tables", footprint_of("intents_insert_intents"),
         footprint_of("ledger_post_transfers"), true},
        {"two append", footprint_of("jobs_stage_jobs"), footprint_of("jobs_stage_jobs"), true},
        {"one commits what the other reads", inserted.next("commit"),
         footprint_of("intents_read_intents"), false},
        {"one commits what the other appends to", inserted.next("commit"),
         footprint_of("jobs_stage_jobs"), true},
        {"one commits something else", inserted.next("commit"),
         footprint_of("ledger_posted_effects"), true},
        {"one commits nothing", nothing, footprint_of("ledger_posted_effects"), true},
        {"both commit what both wrote", inserted.next("commit"), inserted.next("commit"), false},
        {"two take one lock", footprint_of("lock 7"), footprint_of("lock 7"), false},
        {"two take different locks", footprint_of("lock 7"), footprint_of("lock 8"), true},
        {"one releases the lock of the other", locked.next("commit"), footprint_of("lock 7"),
         false},
    };
    for (const auto& row : table) {
        EXPECT_EQ(commute(row.one, row.other), row.commute) << row.name;
        EXPECT_EQ(commute(row.other, row.one), row.commute) << row.name;
    }
}

}  // namespace
}  // namespace pawl
