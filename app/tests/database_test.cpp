// A failure of the database as a sentence: condition and remedy.
#include "app/database.hpp"

#include <gtest/gtest.h>

#include "app/database_checks.hpp"
#include "settings/exit_code.hpp"

namespace pawl::app {
namespace {

struct Case {
    const char* sqlstate;
    const char* what;
    const char* sentence;
};

TEST(Explained, StatesConditionAndRemedy) {
    const Case cases[] = {
        {"", "connection refused\n\tIs the server running?\n",
         "the database could not be reached: connection refused; check PAWL_DATABASE_URL and that "
         "the server accepts connections (pawl doctor shows more)"},
        {"57014", "canceling statement due to statement timeout\n",
         "the database canceled a statement: canceling statement due to statement timeout; try "
         "again; if it always takes that long, raise statement_timeout in [database] of "
         "pawl.toml"},
        {"55P03", "canceling statement due to lock timeout",
         "a lock in the database was not free in time: canceling statement due to lock timeout; "
         "try again in a moment"},
        {"53100", "could not extend file",
         "the disk of the database is full: could not extend file; free some space on it"},
        {"42501", "Failure during 'db_find_schema': ERROR:  permission denied for schema pawl\n",
         "the database login lacks a right: permission denied for schema pawl; use a login that "
         "has "
         "the role pawl_runtime, or the owner's for `pawl migrate` (migrations/README.md)"},
        {"42P01", "relation does not exist", "the database refused: relation does not exist"},
    };
    for (const Case& one : cases) {
        const Error error =
            explained(db::Failure(db::classify(one.sqlstate), one.sqlstate, one.what));
        EXPECT_EQ(error.message, one.sentence) << one.sqlstate;
        EXPECT_EQ(exit_code(error.kind), exit_unreachable) << one.sqlstate;
    }
}

TEST(DatabaseUrl, ThatLibpqCannotParseIsRefusedBeforeLibpqSeesIt) {
    for (const char* url : {"mysql://u:s3cret@h/d", "postgresql://u:s3cret%zz@h/d",
                            "postgresql://u:a@s3cret@127.0.0.1/d"}) {
        Settings settings;
        settings.database.url = url;
        const SystemClock clock;
        const auto used = Database::use(settings, clock, "test");
        ASSERT_FALSE(used) << url;
        EXPECT_EQ(exit_code(used.error().kind), exit_wrong) << url;
        EXPECT_EQ(used.error().message.find("s3cret"), std::string::npos) << used.error().message;
        EXPECT_FALSE(Database::start(settings, clock)) << url;
        const Checks checks = check_database(settings);
        ASSERT_EQ(checks.size(), 1U) << url;
        EXPECT_EQ(checks[0].health, Health::wrong) << url;
        EXPECT_EQ(checks[0].detail.find("s3cret"), std::string::npos) << checks[0].detail;
    }
}

Settings with_batches_of(std::int64_t items) {
    Settings settings;
    ProviderFile file;
    file.config.read.items = items > 0 ? "/events" : "";
    file.config.read.items_max = items;
    settings.providers.push_back(file);
    return settings;
}

TEST(LockTable, IsComparedWithTheLargestDelivery) {
    constexpr std::int64_t by_default = 64 * 100;  // PostgreSQL's, for all users of the server
    EXPECT_EQ(check_locks(by_default, with_batches_of(0)).health, Health::good);
    EXPECT_EQ(check_locks(by_default, with_batches_of(400)).health, Health::good);
    const Check large = check_locks(by_default, with_batches_of(1000));
    EXPECT_EQ(large.health, Health::doubtful);
    EXPECT_NE(large.remedy.find("max_locks_per_transaction to 3 times"), std::string::npos)
        << large.remedy;
    EXPECT_EQ(check_locks(4 * by_default, with_batches_of(1000)).health, Health::good);
}

TEST(LockTable, IsHalfOfItForAllCommittersTogether) {
    ReceiveSettings receive;
    receive.committers = 2;
    EXPECT_EQ(locks_of_a_batch(6400, receive), 1600U);
    receive.committers = 64;
    EXPECT_EQ(locks_of_a_batch(6400, receive), 64U);
}

}  // namespace
}  // namespace pawl::app
