// The server's settings, in two kinds. The firm ones are what durability and privacy rest on: they
// go on the command line, where no edit of postgresql.conf and no ALTER SYSTEM can override them.
// The others are written to postgresql.conf once, as a start, for an operator to change. Pure.
#pragma once

#include <string>
#include <vector>

#include "db/embedded/place.hpp"

namespace pawl::db::cluster {

constexpr const char* admin_role = "pawl_admin";  // the cluster's superuser: migrations run as it
constexpr const char* database_name = "pawl";
constexpr const char* port = "5432";  // only part of the socket's name: nothing listens on TCP

std::vector<std::string> server_command(const std::string& postgres, const Place& place);
std::string first_settings();

}  // namespace pawl::db::cluster
