#include "db/failure.hpp"

#include <gtest/gtest.h>

namespace pawl::db {
namespace {

struct Case {
    const char* sqlstate;
    FailureKind kind;
    const char* what;
};

constexpr Case cases[] = {
    {"40001", FailureKind::retry, "serialization failure"},
    {"40P01", FailureKind::retry, "deadlock"},
    {"55P03", FailureKind::retry, "lock timeout"},
    {"53200", FailureKind::retry, "no room in the table of locks"},
    {"40003", FailureKind::in_doubt, "statement completion unknown"},
    {"23505", FailureKind::unique, "unique violation"},
    {"22003", FailureKind::data, "number out of range"},
    {"22021", FailureKind::data, "a character that is none"},
    {"22P05", FailureKind::data, "untranslatable character"},
    {"23514", FailureKind::data, "check violation"},
    {"23502", FailureKind::data, "not null"},
    {"57014", FailureKind::unreachable, "statement timeout"},
    {"57P01", FailureKind::unreachable, "shutting down"},
    {"57P03", FailureKind::unreachable, "starting up"},
    {"25006", FailureKind::unreachable, "read-only"},
    {"25P03", FailureKind::unreachable, "idle in a transaction"},
    {"53100", FailureKind::unreachable, "disk full"},
    {"53300", FailureKind::unreachable, "too many connections"},
    {"08006", FailureKind::unreachable, "connection failure"},
    {"28P01", FailureKind::unreachable, "wrong password"},
    {"3D000", FailureKind::unreachable, "no such database"},
    {"58030", FailureKind::unreachable, "I/O error"},
    {"XX001", FailureKind::unreachable, "data corrupted"},
    {"", FailureKind::unreachable, "the server said nothing"},
    {"42P01", FailureKind::permanent, "no such table"},
    {"42501", FailureKind::permanent, "no right to it"},
    {"42601", FailureKind::permanent, "syntax error"},
    {"23503", FailureKind::permanent, "foreign key: there are none"},
    {"P0001", FailureKind::permanent, "raised by a function"},
    {"99999", FailureKind::permanent, "unknown code"},
};

TEST(Failure, EachSqlstateHasItsKind) {
    for (const Case& c : cases) EXPECT_EQ(classify(c.sqlstate), c.kind) << c.what;
}

}  // namespace
}  // namespace pawl::db
