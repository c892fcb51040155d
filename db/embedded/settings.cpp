#include "db/embedded/settings.hpp"

#include <algorithm>

namespace pawl::db::cluster {
namespace {

// PostgreSQL shares its machine with Pawl and maybe others: half of the quarter that its manual
// advises for a machine of its own.
std::uint64_t shared_buffers_mb(const Machine& machine) {
    return std::clamp<std::uint64_t>(machine.memory_mb / 8, 32, 4096);
}

// A checkpoint begins when half of this has been written, and after it every page that changes goes
// to the WAL whole: 35,000 events a second write 110 MB of WAL in it, so 512 MB were a checkpoint
// every few seconds. The upper bound is what recovery after a crash replays in about a minute.
std::uint64_t max_wal_mb(const Machine& machine) {
    return std::clamp<std::uint64_t>(machine.disk_free_mb / 10, 64, 4096);
}

std::string mb(std::uint64_t number) {
    return std::to_string(number) + "MB\n";
}

std::string sized_settings(const Machine& machine) {
    const std::uint64_t max_wal = max_wal_mb(machine);
    return "\n# ---- Sized by this machine when the cluster was made.\n"
           "# An eighth of the memory:\n"
           "shared_buffers = " +
           mb(shared_buffers_mb(machine)) +
           "# A tenth of the free disk, at most 4 GB; bounds what is replayed after a crash:\n"
           "max_wal_size = " +
           mb(max_wal) + "min_wal_size = " + mb(std::max<std::uint64_t>(32, max_wal / 8)) +
           "# Full pages after a checkpoint are most of the WAL:\n"
           "wal_compression = " +
           (machine.lz4 ? "lz4" : "on") + "\n";
}

}  // namespace

std::vector<std::string> server_command(const std::string& postgres, const Place& place) {
    std::vector<std::string> argv = {postgres, "-D", place.cluster};
    for (const auto& setting : {
             // An acknowledged commit is on the disk, regardless of the files.
             std::string("fsync=on"),
             std::string("synchronous_commit=on"),
             std::string("full_page_writes=on"),
             std::string("zero_damaged_pages=off"),
             std::string("ignore_checksum_failure=off"),
             std::string("ignore_system_indexes=off"),
             std::string("data_sync_retry=off"),
             std::string("synchronous_standby_names="),
             // Reached through one private socket and no other way.
             std::string("listen_addresses="),
             "unix_socket_directories=" + place.socket_dir,
             std::string("unix_socket_permissions=0700"),
             std::string("unix_socket_group="),
             std::string("port=") + port,
             // The name in the arguments of its processes, by which they are found after a crash.
             "cluster_name=" + place.name,
             std::string("restart_after_crash=on"),
             // To stderr, which is the log file: errors of the start are read from there.
             std::string("logging_collector=off"),
             std::string("log_destination=stderr"),
         }) {
        argv.push_back("-c");
        argv.push_back(setting);
    }
    return argv;
}

std::string first_settings(const Machine& machine) {
    return sized_settings(machine) + R"(
# ---- Written by pawl when it made this cluster; may be edited. The settings that durability and
# ---- privacy rest on are on the server's command line and cannot be weakened here.
max_connections = 60                    # pawl needs about 20; the rest is for psql
max_locks_per_transaction = 256         # a batch of webhooks locks many accounts at once
deadlock_timeout = 200ms                # rows are locked in order: a deadlock is a bug
checkpoint_timeout = 15min              # under load they come by size: max_wal_size
checkpoint_completion_target = 0.9
random_page_cost = 1.1
jit = off                               # short statements: compiling them costs more than it saves
max_parallel_workers_per_gather = 0
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_line_prefix = '%m [%p] %q%u@%d '
log_checkpoints = off                   # one line each five minutes, without use
log_lock_waits = on
# Tables here mostly grow: vacuum them by what was added, and keep their statistics fresh.
autovacuum_naptime = 30s
autovacuum_vacuum_scale_factor = 0.05
autovacuum_vacuum_insert_scale_factor = 0.05
autovacuum_analyze_scale_factor = 0.02
)";
}

}  // namespace pawl::db::cluster
