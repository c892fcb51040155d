#include "db/failure.hpp"

#include <array>

namespace pawl::db {
namespace {

struct Line {
    std::string_view prefix;  // a whole SQLSTATE, or its two-letter class
    FailureKind kind;
};

// Whole codes first: the first prefix that fits decides.
constexpr std::array<Line, 23> table{{
    {"40003", FailureKind::in_doubt},     // statement completion unknown
    {"40001", FailureKind::retry},        // serialization failure
    {"40P01", FailureKind::retry},        // deadlock detected
    {"55P03", FailureKind::retry},        // lock not available (lock_timeout)
    {"53200", FailureKind::retry},        // the table of locks is full: fewer at once may pass
    {"23505", FailureKind::unique},       // unique violation
    {"23514", FailureKind::data},         // check violation
    {"23502", FailureKind::data},         // not-null violation
    {"57014", FailureKind::unreachable},  // query cancelled (statement_timeout)
    {"57P01", FailureKind::unreachable},  // admin shutdown
    {"57P02", FailureKind::unreachable},  // crash shutdown
    {"57P03", FailureKind::unreachable},  // cannot connect now (starting up)
    {"57P05", FailureKind::unreachable},  // idle session timeout
    {"25006", FailureKind::unreachable},  // read-only: a standby, or an operator's switch
    {"25P03", FailureKind::unreachable},  // idle-in-transaction timeout
    {"55000", FailureKind::unreachable},  // object not in prerequisite state
    {"3D", FailureKind::unreachable},     // no such database (yet)
    {"28", FailureKind::unreachable},     // login refused
    {"08", FailureKind::unreachable},     // connection exceptions
    {"53", FailureKind::unreachable},     // disk full, out of memory, too many connections
    {"58", FailureKind::unreachable},     // system error: I/O
    {"XX", FailureKind::unreachable},     // internal error, corrupted data
    {"22", FailureKind::data},            // data exceptions: out of range, bad encoding, ...
}};

}  // namespace

FailureKind classify(std::string_view sqlstate) {
    if (sqlstate.empty()) return FailureKind::unreachable;
    for (const Line& line : table) {
        if (sqlstate.starts_with(line.prefix)) return line.kind;
    }
    return FailureKind::permanent;
}

}  // namespace pawl::db
