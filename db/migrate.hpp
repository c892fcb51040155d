// Brings a database to the schema this program was built with: forward only, under an advisory
// lock, each file in its transaction, its checksum recorded. Used by one thread, with a session
// of the owner; several programs may try at once.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "db/migration.hpp"
#include "db/session.hpp"

namespace pawl::db {

// Number of embedded files, from the first, that a release contains. Released files are never
// edited; the others are edited in place, and a database that was made with another text of one is
// refused.
inline constexpr std::size_t released_migrations = 0;

enum class MigrationState {
    applied,
    pending,
    edited,
    unknown
};  // unknown: newer than this program

struct MigrationStatus {
    std::string name;
    MigrationState state = MigrationState::pending;
    std::optional<std::string> applied_at;
};

std::string checksum(const Migration& migration);

// Every migration the program or the database knows, by name.
std::vector<MigrationStatus> status(Session& session, std::span<const Migration> known);

// Returns no error if the schema is exactly this program's, else the difference and the remedy.
Result<void> check(Session& session, std::span<const Migration> known,
                   std::size_t released = released_migrations);

// Applies pending migrations and returns their names. Refuses edited, newer and unreleased schemas.
Result<std::vector<std::string>> migrate_up(Session& session, std::span<const Migration> known,
                                            std::size_t released = released_migrations);

// The pending files as one script for psql, records included: for a DBA that runs them by hand.
Result<std::string> as_psql_script(Session& session, std::span<const Migration> known,
                                   std::size_t released = released_migrations);

}  // namespace pawl::db
