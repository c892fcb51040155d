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
                          "CREATE SCHEMA pawl; "
                          "CREATE TABLE pawl.schema_migrations (name text PRIMARY KEY, "
                          "checksum text, applied_at timestamptz DEFAULT now())"};
constexpr Migration second{"0002_second", "CREATE TABLE second (x int)"};
constexpr Migration edited{"0002_second", "CREATE TABLE second (x bigint)"};
constexpr Migration broken{"0002_second", "CREATE TABLE second (x int); SELECT 1/0"};
constexpr Migration outside{
    "0002_outside",
    "-- pawl: not transactional\n"
    "CREATE INDEX CONCURRENTLY IF NOT EXISTS outside ON pawl.schema_migrations (checksum)"};

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
    for (const auto& answer : {check(session, std::array{first, edited}, 2)}) {
        ASSERT_FALSE(answer);
        EXPECT_NE(answer.error().message.find("0002_second"), std::string::npos);
        EXPECT_NE(answer.error().message.find("checksum"), std::string::npos);
    }
    EXPECT_FALSE(migrate_up(session, std::array{first, edited}, 2));
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
    std::string script = "\n" + as_psql_script(session, embedded()).value();
    // psql's own commands are lines that start with a backslash; what is left is plain SQL.
    for (std::size_t at; (at = script.find("\n\\")) != std::string::npos;) {
        script.erase(at, script.find('\n', at + 1) - at);
    }
    Statement::run_script(session, script);
    EXPECT_TRUE(check(session, embedded()));
}

void expect_unreleased(Session& session, std::span<const Migration> known, const char* found) {
    const auto checked = check(session, known, 0);
    ASSERT_FALSE(checked);
    EXPECT_NE(checked.error().message.find("made by an unreleased version"), std::string::npos)
        << checked.error().message;
    EXPECT_NE(checked.error().message.find(found), std::string::npos) << checked.error().message;
    EXPECT_NE(checked.error().message.find("pg_dump"), std::string::npos);
    EXPECT_FALSE(migrate_up(session, known, 0));
    EXPECT_FALSE(as_psql_script(session, known, 0));
}

TEST(Migrate, ADatabaseOfAnUnreleasedVersionIsRefusedWithTheRemedy) {
    Session session(fresh());
    ASSERT_TRUE(migrate_up(session, std::array{first, second}));
    expect_unreleased(session, std::array{first, edited},
                      "migration 0002_second was applied with another text than this program has: "
                      "its checksum differs");
    // Migrations of that version were removed, and others added.
    expect_unreleased(session, std::array{first, outside},
                      "it has a migration 0002_second, which is unknown to this program");
}

// The first versions had their tables wherever the search path began.
TEST(Migrate, TablesOfAnUnreleasedVersionOutsideTheSchemaAreFound) {
    Session session(fresh());
    Statement::run_script(session,
                          "CREATE TABLE public.schema_migrations (name text, checksum text); "
                          "CREATE TABLE public.webhook_intents (provider text)");
    expect_unreleased(session, embedded(), "outside the schema pawl");
}

// Another program may have a table of that name.
TEST(Migrate, AnotherProgramsMigrationsDoNotKeepPawlOut) {
    Session session(fresh());
    Statement::run_script(session, "CREATE TABLE public.schema_migrations (version text)");
    EXPECT_EQ(migrate_up(session, embedded())->size(), embedded().size());
}

}  // namespace
}  // namespace pawl::db
