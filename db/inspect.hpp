// Properties of a database, for its operator. Reads only, on the caller's session.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "db/session.hpp"

namespace pawl::db {

// fsync, synchronous_commit, full_page_writes, max_connections, max_prepared_transactions,
// max_locks_per_transaction and server_version_num, as the server has them.
std::map<std::string, std::string> durability(Session& session);

// Number of locks that the server's table holds, for all its users together.
std::int64_t lock_table_size(const std::map<std::string, std::string>& settings);

// A collation whose order may have changed since its indexes were built.
struct ChangedCollation {
    std::string name;
    std::string recorded;  // the version that the database has noted
    std::string actual;    // the operating system's
    std::string indexes;   // Pawl's indexes that it sorts; none of its keys uses one
};
// From PostgreSQL 15 on.
std::vector<ChangedCollation> changed_collations(Session& session);

// Rights of the session's login beyond what the server needs, a line each; empty if none.
std::vector<std::string> rights_beyond_runtime(Session& session);

// Returns the database's clock minus this machine's; leases live by the database's.
std::chrono::milliseconds clock_difference(Session& session, const Clock& clock);

}  // namespace pawl::db
