// The cluster's directory, the server's user, and the socket's directory. PostgreSQL refuses to run
// as root, sockets have 107 bytes for a name, and a data directory may lie where only root can
// enter. A plain value; chosen by the owner of the lock.
#pragma once

#include <string>

#include "base/process.hpp"
#include "base/result.hpp"
#include "db/embedded/home.hpp"
#include "db/embedded/options.hpp"

namespace pawl::db::cluster {

struct Place {
    std::string data_dir;
    std::string base;        // the directory the cluster lies in: data_dir, or a fallback
    std::string cluster;     // PostgreSQL's own data directory
    std::string name;        // cluster's name in process titles: pawl-<hash of data_dir>
    std::string socket_dir;  // set by make_socket_dir
    process::Identity identity;
    std::string note;  // the reason for an unusual layout; empty otherwise

    uid_t owner_uid() const;  // owner of the server's files and processes, in this namespace
    gid_t owner_gid() const;
    std::string log() const { return data_dir + "/postgres.log"; }
    std::string pid_file() const { return cluster + "/postmaster.pid"; }
    bool created() const;  // there is a cluster
};

Result<Place> choose_place(const std::string& data_dir, const Notes& notes,
                           const EmbeddedOptions& options);

// A private directory with a short name, the same each time for one data directory.
Result<std::string> make_socket_dir(const Place& place);

}  // namespace pawl::db::cluster
