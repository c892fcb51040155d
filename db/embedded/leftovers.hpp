// Cleans up after a killed pawl or a killed postgres: servers that still run on the cluster, and
// pid files with reused pids. After clear_leftovers a new server can start, and no file that a
// living server relies on was removed. Called by the owner of the lock.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.hpp"
#include "db/embedded/options.hpp"
#include "db/embedded/place.hpp"

namespace pawl::db::cluster {

struct Leftovers {
    pid_t postmaster = 0;         // the server itself; 0: it has ended
    std::vector<pid_t> children;  // its processes

    bool none() const { return postmaster == 0 && children.empty(); }
};

Leftovers find_leftovers(const Place& place);
Result<void> clear_leftovers(const Place& place, const EmbeddedOptions& options);

// The first line of postmaster.pid, and its eighth, the server's state.
struct PidFile {
    pid_t pid = 0;
    std::string status;  // "starting", "ready", "stopping"
};
PidFile read_pid_file(const Place& place);

}  // namespace pawl::db::cluster
