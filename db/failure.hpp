// The one exception that leaves this folder, and the table from a database error to its meaning for
// the caller. Values; no thread rules.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace pawl::db {

enum class FailureKind {
    retry,        // serialization, deadlock, lock timeout: retry the same transaction
    unique,       // another session was first: read again and re-evaluate
    data,         // this very row can never be stored: 22xxx, check violations
    in_doubt,     // in doubt: the answer to COMMIT was lost, and only the database knows the result
    unreachable,  // no connection, no more connections, shutting down, read-only, disk full
    permanent,    // wrong SQL, missing table, missing right: not retryable
};

class Failure : public std::runtime_error {
  public:
    Failure(FailureKind failure_kind, std::string state, const std::string& what)
        : std::runtime_error(what), kind(failure_kind), sqlstate(std::move(state)) {}

    FailureKind kind;
    std::string sqlstate;  // empty if the server sent none
    // A connection that was in use has just ended, and nothing was committed by it: the same work
    // on a new connection may succeed at once.
    bool connection_lost = false;
};

// The retry table. Pure, so that a test can read it line by line.
FailureKind classify(std::string_view sqlstate);

}  // namespace pawl::db
