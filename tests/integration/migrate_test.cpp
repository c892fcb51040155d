#include "db/migrate.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/database.hpp"

namespace pawl::db {
namespace {

SessionOptions fresh() {
    SessionOptions options;
    options.url = testing::empty_database_url();
    options.name = "migrate";
    return options;
}

constexpr Migration first{"0001_first",
                          "CREATE TABLE schema_migrations (name text PRIMARY KEY, "
                          "checksum text, applied_at timestamptz DEFAULT now())"};
constexpr Migration second{"0002_second", "CREATE TABLE second (x int)"};
constexpr Migration edited{"0002_second", "CREATE TABLE second (x bigint)"};
constexpr Migration broken{"0002_second", "CREATE TABLE second (x int); SELECT 1/0"};
constexpr Migration outside{
    "0002_outside",
    "-- pawl: not transactional\n"
    "CREATE INDEX CONCURRENTLY IF NOT EXISTS outside ON schema_migrations (checksum)"};

TEST(Migrate, UpThenAgainAppliesNothingTwice) {
    Session session(fresh());
    EXPECT_EQ(migrate_up(session, embedded())->size(), embedded().size());
    EXPECT_TRUE(migrate_up(session, embedded())->empty());
    EXPECT_TRUE(check(session, embedded()));
}

TEST(Migrate, AnEmptyDatabaseIsBehind) {
    Session session(fresh());
    const auto checked = check(session, embedded());
    ASSERT_FALSE(checked);
    EXPECT_NE(checked.error().message.find("run `pawl migrate`"), std::string::npos);
}

TEST(Migrate, EightAtOnceApplyEachFileOnce) {
    const SessionOptions options = fresh();
    std::atomic<std::size_t> applied{0};
    std::vector<std::thread> all;
    for (int i = 0; i < 8; ++i) {
        all.emplace_back([&] {
            Session session(options);
            applied += migrate_up(session, embedded())->size();
        });
    }
    for (std::thread& one : all) one.join();
    EXPECT_EQ(applied, embedded().size());
}

TEST(Migrate, AnEditedFileIsRefusedByName) {
    Session session(fresh());
    ASSERT_TRUE(migrate_up(session, std::array{first, second}));
    for (const auto& answer : {check(session, std::array{first, edited})}) {
        ASSERT_FALSE(answer);
        EXPECT_NE(answer.error().message.find("0002_second"), std::string::npos);
        EXPECT_NE(answer.error().message.find("checksum"), std::string::npos);
    }
    EXPECT_FALSE(migrate_up(session, std::array{first, edited}));
}

TEST(Migrate, ASchemaNewerThanTheProgramIsRefused) {
    Session session(fresh());
    ASSERT_TRUE(migrate_up(session, std::array{first, second}));
    const auto answer = migrate_up(session, std::array{first});
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().message.find("newer"), std::string::npos);
}

TEST(Migrate, AFileThatFailsLeavesNothingBehindAndCanBeRunAgain) {
    Session session(fresh());
    EXPECT_THROW((void)migrate_up(session, std::array{first, broken}), Failure);
    EXPECT_EQ(status(session, std::array{first, broken})[1].state, MigrationState::pending);
    EXPECT_EQ(migrate_up(session, std::array{first, second})->size(), 1U);
}

TEST(Migrate, AFileOutsideATransactionRunsAndIsRecorded) {
    Session session(fresh());
    EXPECT_EQ(migrate_up(session, std::array{first, outside})->size(), 2U);
    EXPECT_TRUE(check(session, std::array{first, outside}));
}

TEST(Migrate, ThePsqlScriptDoesTheSameAsTheProgram) {
    Session session(fresh());
    std::string script = as_psql_script(session, embedded());
    // psql's own commands start with a backslash; what is left is plain SQL.
    for (std::size_t at; (at = script.find('\\')) != std::string::npos;) {
        script.erase(at, script.find('\n', at) - at);
    }
    Statement::run_script(session, script);
    EXPECT_TRUE(check(session, embedded()));
}

}  // namespace
}  // namespace pawl::db
