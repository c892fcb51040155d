// The server's settings, in two kinds. Durability and privacy rest on the firm ones, which stand on
// the command line: no edit of postgresql.conf and no ALTER SYSTEM can override them. The others
// are written to postgresql.conf when the cluster is created, sized by the machine, for an operator
// to change. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/embedded/place.hpp"

namespace pawl::db::cluster {

constexpr const char* admin_role = "pawl_admin";  // the cluster's superuser: migrations run as it
constexpr const char* database_name = "pawl";
constexpr const char* port = "5432";  // only part of the socket's name: nothing listens on TCP

std::vector<std::string> server_command(const std::string& postgres, const Place& place);

// The machine's sizes, from which the first settings follow.
struct Machine {
    std::uint64_t memory_mb = 0;     // machine's or control group's, whichever is less
    std::uint64_t disk_free_mb = 0;  // where the cluster lies
    bool lz4 = false;                // PostgreSQL can compress its WAL with LZ4
};
std::string first_settings(const Machine& machine);

}  // namespace pawl::db::cluster
