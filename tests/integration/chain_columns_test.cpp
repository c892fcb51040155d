// The columns of the hash chains over the journal and the audit log: there from the migration that
// made the tables, empty where no key is set, and nothing that the server's role can change.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "access/pauses.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

const char* const chained[] = {"transfers", "audit_log"};

std::string text_of(const std::string& file) {
    std::ifstream in(std::string(PAWL_SOURCE_DIR) + "/" + file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void write_a_row_of_each(db::Session& session) {
    testing::commit(session, {testing::deliver({testing::event({.id = "e1", .effect = "e1"})})});
    access::pause(session, "demo", "ana", "a test");
}

TEST(ChainColumns, AreBytesThatMayBeEmptyInBothTables) {
    const testing::TestDatabase database;
    for (const std::string table : chained) {
        EXPECT_EQ(
            database.value("SELECT string_agg(column_name || ' ' || data_type || ' ' || "
                           "is_nullable || ' ' || coalesce(column_default, 'none'), ', ' ORDER BY "
                           "column_name) FROM information_schema.columns WHERE table_schema = "
                           "'pawl' AND table_name = '" +
                           table + "' AND column_name LIKE 'chain%'"),
            "chain_hash bytea YES none, chain_prev bytea YES none")
            << table;
    }
}

TEST(ChainColumns, ComeWithTheirTablesAndNotLater) {
    const std::pair<const char*, const char*> made[] = {
        {"CREATE TABLE audit_log", "migrations/0007_access.sql"},
        {"CREATE TABLE transfers", "migrations/0003_ledger.sql"}};
    for (const auto& [create, file] : made) {
        const std::string text = text_of(file);
        const auto begin = text.find(create);
        ASSERT_NE(begin, std::string::npos) << file;
        const std::string table = text.substr(begin, text.find(");\n", begin) - begin);
        for (const char* column : {"chain_prev", "chain_hash"}) {
            EXPECT_NE(table.find(column), std::string::npos) << file << " " << column;
        }
    }
}

TEST(ChainColumns, AreLeftEmptyWithoutAKey) {
    const testing::TestDatabase database;
    db::Session session = database.session();
    write_a_row_of_each(session);
    for (const std::string table : chained) {
        EXPECT_EQ(database.value("SELECT count(*) || ' ' || count(chain_prev) || ' ' || "
                                 "count(chain_hash) FROM " +
                                 table),
                  "1 0 0")
            << table;
    }
}

// A chain that its writer may rewrite would prove nothing.
TEST(ChainColumns, AndTheRowsThatTheyAreInCannotBeChangedByTheServer) {
    const testing::TestDatabase database;
    db::Session session = database.session();
    write_a_row_of_each(session);
    for (const std::string table : chained) {
        for (const std::string& change : {"UPDATE " + table + " SET chain_hash = ''",
                                          "UPDATE " + table + " SET chain_prev = ''",
                                          "DELETE FROM " + table, "TRUNCATE " + table}) {
            try {
                db::Statement::run_script(session, change);
                ADD_FAILURE() << change << " was allowed";
            } catch (const db::Failure& failure) {
                EXPECT_EQ(failure.sqlstate, "42501") << change;  // insufficient privilege
            }
        }
    }
}

}  // namespace
}  // namespace pawl
