#include "db/listener.hpp"

#include <gtest/gtest.h>

#include "tests/support/database.hpp"

namespace pawl::db {
namespace {

// A listener on a standby receives no notification of the primary.
TEST(Listener, ListensNoMoreThanASessionWhereNothingCanBeWritten) {
    const testing::TestDatabase database;
    database.run(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', "
        "current_database()); END $$");
    Listener listener(database.options(), "test");
    EXPECT_THROW(listener.wait(std::chrono::milliseconds(10)), Failure);
}

TEST(Listener, ReceivesNotificationsAndHasItsSessionsName) {
    const testing::TestDatabase database;
    SessionOptions options = database.options();
    options.name = "wakeup-listen";
    Listener listener(options, "test");
    EXPECT_TRUE(listener.wait(std::chrono::milliseconds(10))) << "it may have missed something";
    EXPECT_FALSE(listener.wait(std::chrono::milliseconds(10)));
    Session session = database.session();
    notify(session, "test");
    EXPECT_TRUE(listener.wait(std::chrono::seconds(10)));
    EXPECT_EQ(database.value("SELECT count(*) FROM pg_stat_activity WHERE application_name = "
                             "'pawl/wakeup-listen' AND datname = current_database()"),
              "1");
}

}  // namespace
}  // namespace pawl::db
