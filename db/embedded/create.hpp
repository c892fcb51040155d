// Makes a new cluster: initdb into a temporary folder, one sync, one rename. Killed at any moment,
// it leaves either no cluster or a whole one. Called by the owner of the lock.
#pragma once

#include "base/result.hpp"
#include "db/embedded/options.hpp"
#include "db/embedded/place.hpp"
#include "db/embedded/programs.hpp"

namespace pawl::db::cluster {

Result<void> create_cluster(const Place& place, const Programs& programs,
                            const EmbeddedOptions& options);

// The database `pawl`, made on the running server where it is missing.
Result<void> ensure_database(const Place& place, const Programs& programs);

// The environment of PostgreSQL's programs: no PGDATA or PGOPTIONS, and no secrets.
std::vector<std::string> server_environment();

}  // namespace pawl::db::cluster
