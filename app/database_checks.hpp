// Database checks: version, durability, locks, clock and schema for `pawl doctor`, and the
// requirements of `pawl serve`. For one thread.
#pragma once

#include "app/database.hpp"
#include "app/doctor.hpp"
#include "base/result.hpp"

namespace pawl::app {

Checks check_database(const Settings& settings);

// Refuses a server whose settings let a crash of its machine lose committed transactions.
Result<void> require_durable(const Database& database);

// Logs a warning if the login has more rights than the server's role needs.
void report_login(const Database& database);

// Logs a warning if movements and audit entries are not chained.
void report_chain(const Database& database);

// Half of the server's table of locks is the most that all committers take together. A delivery is
// not cut: the check compares the largest that is permitted with that half, too.
std::size_t locks_of_a_batch(std::int64_t lock_table_size, const ReceiveSettings& settings);
Check check_locks(std::int64_t lock_table_size, const Settings& settings);

}  // namespace pawl::app
