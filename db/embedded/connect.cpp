#include "db/embedded/connect.hpp"

#include <libpq-fe.h>

#include <array>

#include "db/embedded/files.hpp"
#include "db/embedded/settings.hpp"

namespace pawl::db::cluster {
namespace {

constexpr const char* connect_seconds_max = "2";  // libpq's smallest that works

std::array<const char*, 8> keys() {
    return {"host", "port", "user", "dbname", "connect_timeout", "application_name", nullptr};
}

std::array<const char*, 8> values(const std::string& socket_dir, const char* database) {
    return {socket_dir.c_str(), port,   admin_role, database, connect_seconds_max,
            "pawl/embedded",    nullptr};
}

}  // namespace

bool accepts_connections(const std::string& socket_dir) {
    return PQpingParams(keys().data(), values(socket_dir, "template1").data(), 0) == PQPING_OK;
}

ConnectResult try_connecting(const std::string& socket_dir, const char* database) {
    PGconn* connection = PQconnectdbParams(keys().data(), values(socket_dir, database).data(), 0);
    ConnectResult answer;
    answer.connected = PQstatus(connection) == CONNECTION_OK;
    if (!answer.connected) answer.message = tail_of(PQerrorMessage(connection));
    PQfinish(connection);
    return answer;
}

// Pawl made the directory's name: it needs no escape in a URI.
std::string url_of(const std::string& socket_dir, const std::string& role) {
    return "postgresql:///" + std::string(database_name) + "?host=" + socket_dir + "&port=" + port +
           "&user=" + role;
}

}  // namespace pawl::db::cluster
