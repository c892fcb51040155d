// Connections that the server ends: while they are idle, and while a transaction is under
// way.
#include <gtest/gtest.h>

#include "tests/support/database.hpp"

namespace pawl {
namespace {

using testing::TestDatabase;

constexpr db::Query own_pid{"test_own_pid", "SELECT pg_backend_pid()"};

void end(const TestDatabase& database, std::int64_t backend) {
    const std::string pid = std::to_string(backend);
    database.value("SELECT pg_terminate_backend(" + pid + ", 5000)");  // waits for its end
}

std::int64_t pid_of(db::Session& session) {
    return db::Statement::run(session, own_pid).number();
}

// While it is in the middle of a transaction.
void end_under(const TestDatabase& database, db::Transaction& transaction) {
    end(database, transaction.run(own_pid).number());
    transaction.run(own_pid);
}

TEST(Session, ReplacesAConnectionThatEndedWhileItWasIdle) {
    const TestDatabase database;
    db::Session session = database.session();
    const std::int64_t first = pid_of(session);
    end(database, first);
    EXPECT_NE(pid_of(session), first);
    EXPECT_EQ(session.generation(), 2U);
    end(database, pid_of(session));
    db::Transaction transaction(session);
    EXPECT_EQ(transaction.run(own_pid).size(), 1);
}

TEST(InTransaction, UsesANewConnectionIfTheFirstEnds) {
    const TestDatabase database;
    db::Session session = database.session();
    int begun = 0;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        if (++begun == 1) end_under(database, transaction);
    });
    EXPECT_EQ(begun, 2);
}

TEST(InTransaction, ReplacesAConnectionOnceAndThenGivesUp) {
    const TestDatabase database;
    db::Session session = database.session();
    int begun = 0;
    const auto work = [&](db::Transaction& transaction) {
        ++begun;
        end_under(database, transaction);
    };
    EXPECT_THROW(db::in_transaction(session, work), db::Failure);
    EXPECT_EQ(begun, 2);
}

}  // namespace
}  // namespace pawl
