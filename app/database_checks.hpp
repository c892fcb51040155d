// What `pawl doctor` asks the database: version, durability, clock, schema; and what `pawl serve`
// requires of it. For one thread.
#pragma once

#include "app/database.hpp"
#include "app/doctor.hpp"
#include "base/result.hpp"

namespace pawl::app {

Checks check_database(const Settings& settings);

// Refuses a server whose settings let a crash of its machine lose committed transactions.
Result<void> require_durable(const Database& database);

// A line in the log where the login could do more than the server's role may.
void report_login(const Database& database);

}  // namespace pawl::app
