// Asks a server whether it accepts connections, over its private socket. Any thread.
#pragma once

#include <string>

namespace pawl::db::cluster {

struct ConnectResult {
    bool connected = false;
    std::string message;  // libpq's error, on one line, if it does not
};

bool accepts_connections(const std::string& socket_dir);
ConnectResult try_connecting(const std::string& socket_dir, const char* database);

// A libpq URI for `role`.
std::string url_of(const std::string& socket_dir, const std::string& role);

}  // namespace pawl::db::cluster
