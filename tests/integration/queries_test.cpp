#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "access/sql.hpp"
#include "db/sql.hpp"
#include "intents/sql.hpp"
#include "jobs/sql.hpp"
#include "ledger/sql.hpp"
#include "payments/sql.hpp"
#include "tests/support/database.hpp"
#include "tests/support/describe.hpp"
#include "workflows/sql.hpp"

namespace pawl {
namespace {

std::vector<const db::Query*> every_query() {
    std::vector<const db::Query*> all;
    const auto add = [&all](const auto& list) {
        all.insert(all.end(), std::begin(list), std::end(list));
    };
    add(db::sql::all);
    add(access::sql::all);
    add(ledger::sql::all);
    add(jobs::sql::all);
    add(payments::sql::all);
    add(workflows::sql::all);
    add(intents::sql::all);
    return all;
}

TEST(Queries, EveryOneIsPreparedAgainstTheMigratedSchemaAsTheRuntimeRole) {
    const testing::TestDatabase database;
    db::Session session = database.session();
    // Not by a query of the product, which this session would then have prepared already.
    const int version = std::stoi(database.value("SHOW server_version_num"));
    for (const db::Query* query : every_query()) {
        // doctor runs it from PostgreSQL 15 on, which records the version that it reads.
        if (query == &db::sql::changed_collations && version < 150000) continue;
        const std::string prepare =
            "PREPARE " + std::string(query->name) + " AS " + std::string(query->text);
        EXPECT_NO_THROW(db::Statement::run_script(session, prepare)) << query->name;
    }
}

// Neither the file nor the compiler detects two exchanged columns of one type.
TEST(Queries, EveryOneDeclaresWhatTheDatabaseDescribes) {
    const testing::TestDatabase database;
    const int version = std::stoi(database.value("SHOW server_version_num"));
    testing::Describer describer(database);
    for (const db::Query* query : every_query()) {
        if (query == &db::sql::changed_collations && version < 150000) continue;
        for (const std::string& one : differences(*query, describer.describe(query->text))) {
            ADD_FAILURE() << query->name << ": " << one;
        }
    }
}

// The comparison itself: each of these differs in one thing from what the database describes.
TEST(Queries, AnExchangedOrMisdeclaredColumnIsADifference) {
    const testing::TestDatabase database;
    testing::Describer describer(database);
    using Value = db::DeclaredValue;
    const Value id{"id", "bigint"}, debit{"debit_account", "text"},
        credit{"credit_account", "text"}, event{"event_id", "text", true};
    const auto differ = [&](std::vector<Value> takes, std::vector<Value> gives) {
        const db::Query query{"test",
                              "SELECT id, debit_account, credit_account, event_id FROM transfers "
                              "WHERE id > $1 AND currency = $2",
                              takes, gives, db::Query::Rows::declared};
        return differences(query, describer.describe(query.text));
    };
    const Value after{"after", "bigint"}, currency{"currency", "text"};
    using Found = std::vector<std::string>;
    EXPECT_EQ(differ({after, currency}, {id, debit, credit, event}), Found{});
    EXPECT_EQ(differ({after, currency}, {id, credit, debit, event}),
              (Found{"column credit_account: is called debit_account",
                     "column debit_account: is called credit_account"}));
    EXPECT_EQ(differ({currency, after}, {id, debit, credit, event}),
              (Found{"parameter currency: is bigint", "parameter after: is text"}));
    EXPECT_EQ(differ({after, currency}, {id, debit, credit, {"event_id", "text"}}),
              (Found{"column event_id: can be NULL; declare it with null"}));
    EXPECT_EQ(differ({after, currency}, {id, debit, {"credit_account", "text", true}, event}),
              (Found{"column credit_account: is NOT NULL; declare it without null"}));
    EXPECT_EQ(differ({after}, {id, debit, credit, event}),
              (Found{"parameters: 1 declared, 2 described"}));
    EXPECT_EQ(differ({after, currency}, {id, debit, credit}),
              (Found{"columns: 3 declared, 4 described"}));
}

TEST(Queries, AreAsManyAsTheFilesThatTheyAreMadeOf) {
    namespace fs = std::filesystem;
    std::size_t files = 0;
    for (const fs::directory_entry& folder : fs::directory_iterator(PAWL_SOURCE_DIR)) {
        const fs::path sql = folder.path() / "sql";
        if (!fs::is_directory(sql)) continue;
        for (const fs::directory_entry& file : fs::directory_iterator(sql)) {
            if (file.path().extension() == ".sql") ++files;
        }
    }
    EXPECT_EQ(every_query().size(), files);
    for (const db::Query* query : every_query()) {
        EXPECT_NE(query->rows, db::Query::Rows::undeclared) << query->name;
    }
}

TEST(Queries, NoTwoShareAName) {
    std::set<std::string_view> names;
    for (const db::Query* query : every_query()) {
        EXPECT_TRUE(names.insert(query->name).second) << query->name;
    }
}

TEST(RuntimeRole, CanNeitherAlterTablesNorDeleteWhatMustStay) {
    const testing::TestDatabase database;
    db::Session session = database.session();
    for (const char* forbidden :
         {"ALTER TABLE transfers ADD COLUMN x int", "DROP TABLE webhook_intents",
          "DELETE FROM transfers", "UPDATE transfers SET amount = 1", "DELETE FROM webhook_intents",
          "DELETE FROM audit_log", "UPDATE audit_log SET reason = 'x'", "TRUNCATE transfers",
          "CREATE TABLE mine (x int)", "UPDATE api_tokens SET principal = 'x'",
          "DELETE FROM external_calls", "DELETE FROM payments", "DELETE FROM refunds",
          "DELETE FROM balances", "DELETE FROM workflow_runs", "DELETE FROM delivery_blocks",
          "DELETE FROM open_deliveries", "DELETE FROM rejections"}) {
        try {
            db::Statement::run_script(session, forbidden);
            ADD_FAILURE() << "was allowed: " << forbidden;
        } catch (const db::Failure& failure) {
            EXPECT_EQ(failure.sqlstate, "42501") << forbidden << ": " << failure.what();
        }
    }
}

}  // namespace
}  // namespace pawl
