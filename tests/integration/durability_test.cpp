// Durability settings of a session, whatever the database defaults to.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/database.hpp"

namespace pawl {
namespace {

struct Default {
    const char* database;  // what ALTER DATABASE says
    const char* session;   // what a session has
};

const Default defaults[] = {{"off", "on"},
                            {"local", "on"},
                            {"remote_write", "on"},
                            {"on", "on"},
                            {"remote_apply", "remote_apply"}};

TEST(Durability, ACommitWaitsForItsWalWhateverTheDatabaseDefaultsTo) {
    constexpr db::Query show{"test_show", "SELECT current_setting('synchronous_commit')"};
    for (const Default& given : defaults) {
        const testing::TestDatabase database;
        database.run("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = " +
                     std::string(given.database) + "', current_database()); END $$");
        db::Session session = database.session();
        EXPECT_EQ(db::Statement::run(session, show).value(), given.session) << given.database;
    }
}

}  // namespace
}  // namespace pawl
