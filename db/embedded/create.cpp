#include "db/embedded/create.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/fault.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "db/embedded/connect.hpp"
#include "db/embedded/files.hpp"
#include "db/embedded/memory.hpp"
#include "db/embedded/settings.hpp"

namespace pawl::db::cluster {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t new_cluster_mb = 80;  // tables 40, WAL 16, and room to start
constexpr std::chrono::milliseconds createdb_limit{20000};
constexpr std::chrono::milliseconds ask_limit{10000};

// Remains of killed attempts. A dying process may still write into one, which then stays until the
// next time: each attempt has its own folder.
void remove_attempts(const std::string& base) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(base, ignored)) {
        if (entry.path().filename().string().rfind("postgres.new-", 0) != 0) continue;
        std::error_code also_ignored;
        fs::remove_all(entry.path(), also_ignored);
    }
}

Result<std::string> make_attempt(const Place& place) {
    std::string folder = place.base + "/postgres.new-XXXXXX";
    if (!mkdtemp(folder.data())) return cannot("make a cluster in", place.base, errno);
    if (geteuid() == 0 && chown(folder.c_str(), place.owner_uid(), place.owner_gid()) != 0) {
        return cannot("hand over", folder, errno);
    }
    return folder;
}

Result<void> run_initdb(const std::string& folder, const Place& place, const Programs& programs,
                        const EmbeddedOptions& options) {
    process::Command command;
    command.argv = {programs.program("initdb"), "--pgdata=" + folder,
                    std::string("--username=") + admin_role,
                    // Safe because no other user can reach the socket: its directory is private.
                    "--auth-local=trust", "--auth-host=reject", "--data-checksums",
                    "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"};
    command.env = server_environment();
    command.identity = place.identity;
    command.death_signal = SIGKILL;
    auto finished = process::run(std::move(command), options.create_limit);
    if (!finished) return finished.error();
    if (finished->succeeded) return {};
    return unreachable("cannot make the database in " + place.base + ": initdb " + finished->how +
                       ": " + tail_of(finished->output));
}

// Debian's packages can from PostgreSQL 15 on; other builds say so themselves.
bool knows_lz4(const std::string& folder, const Place& place, const Programs& programs) {
    process::Command command;
    command.argv = {programs.program("postgres"), "-C", "wal_compression", "-D", folder, "-c",
                    "wal_compression=lz4"};
    command.env = server_environment();
    command.identity = place.identity;
    command.death_signal = SIGKILL;
    const auto finished = process::run(std::move(command), ask_limit);
    return finished && finished->succeeded;
}

Result<void> fill(const std::string& folder, const Place& place, const Programs& programs,
                  const EmbeddedOptions& options) {
    auto made = run_initdb(folder, place, programs, options);
    if (!made) return made;
    const Machine machine{memory_mb(), free_mb(place.base), knows_lz4(folder, place, programs)};
    auto set = append_file(folder + "/postgresql.conf", first_settings(machine));
    if (!set) return set;
    auto synced = sync_file_system(folder);
    if (!synced) return synced;
    PAWL_FAULT_POINT(embedded_after_initdb_before_rename);
    if (rename(folder.c_str(), place.cluster.c_str()) != 0) {
        return cannot("put the new cluster in place as", place.cluster, errno);
    }
    return sync_directory(place.base);
}

}  // namespace

std::vector<std::string> server_environment() {
    std::vector<std::string> kept = {"LC_ALL=C", "TZ=UTC"};
    for (const char* name : {"PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "FAKETIME"}) {
        if (const char* value = std::getenv(name)) kept.push_back(std::string(name) + "=" + value);
    }
    return kept;
}

Result<void> create_cluster(const Place& place, const Programs& programs,
                            const EmbeddedOptions& options) {
    remove_attempts(place.base);
    if (auto mb = free_mb(place.base); mb < new_cluster_mb) {
        return unreachable("the disk of " + place.base +
                           " is too full for a new database: " + std::to_string(mb) +
                           " MB are free and " + std::to_string(new_cluster_mb) +
                           " are needed: free some, or set PAWL_DATA_DIR to another disk");
    }
    auto folder = make_attempt(place);
    if (!folder) return folder.error();
    auto filled = fill(*folder, place, programs, options);
    if (!filled) {
        std::error_code ignored;
        fs::remove_all(*folder, ignored);  // a full disk needs the room
    }
    return filled;
}

Result<void> ensure_database(const Place& place, const Programs& programs) {
    auto answer = try_connecting(place.socket_dir, database_name);
    if (answer.connected) return {};
    if (answer.message.find("does not exist") == std::string::npos) {
        return unreachable("the database in " + place.cluster +
                           " refused the connection: " + answer.message);
    }
    process::Command command;
    command.argv = {programs.program("createdb"),
                    "--host=" + place.socket_dir,
                    std::string("--port=") + port,
                    std::string("--username=") + admin_role,
                    "--no-password",
                    "--maintenance-db=template1",
                    database_name};
    command.env = server_environment();
    auto finished = process::run(std::move(command), createdb_limit);
    if (!finished) return finished.error();
    if (finished->succeeded) return {};
    return unreachable("cannot make the database pawl in " + place.cluster + ": createdb " +
                       finished->how + ": " + tail_of(finished->output));
}

}  // namespace pawl::db::cluster
