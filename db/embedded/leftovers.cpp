#include "db/embedded/leftovers.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <thread>

#include "base/log.hpp"
#include "base/process.hpp"
#include "db/embedded/files.hpp"
#include "db/embedded/settings.hpp"

namespace pawl::db::cluster {
namespace {

// 0 where there is no number: no process has it.
pid_t pid_from(std::string_view digits) {
    pid_t pid = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), pid);
    return pid;
}

namespace fs = std::filesystem;
using std::chrono::milliseconds;
constexpr milliseconds poll_every{10};
// PostgreSQL itself kills its processes five seconds after an immediate shutdown was asked for.
constexpr milliseconds immediate_shutdown_timeout{7000};
constexpr milliseconds sigkill_timeout{3000};
// Higher than any pid of the kernel (2^22), so no process has it.
constexpr const char* nobodys_pid = "2147483646";

std::string proc(pid_t pid, const char* name) {
    return "/proc/" + std::to_string(pid) + "/" + name;
}

enum class Role { none, postmaster, child };

// Recognised by its arguments, which are readable where the working directory is not (a container
// without the right to trace), and by its user, so that no process is killed for its name alone.
Role role_of(pid_t pid, const Place& place) {
    struct stat owner {};
    if (stat(("/proc/" + std::to_string(pid)).c_str(), &owner) != 0) return Role::none;
    if (owner.st_uid != place.owner_uid()) return Role::none;
    auto arguments = read_file(proc(pid, "cmdline"));
    if (arguments.rfind("postgres: " + place.name + ": ", 0) == 0) return Role::child;
    std::string zero(1, '\0');
    bool ours = arguments.find(zero + "-D" + zero + place.cluster + zero) != std::string::npos &&
                arguments.find("cluster_name=" + place.name) != std::string::npos;
    auto program = arguments.substr(0, arguments.find('\0'));
    return ours && fs::path(program).filename() == "postgres" ? Role::postmaster : Role::none;
}

// Between finding a process and signalling it, its pid may have gone to another: hold it first.
void signal_as(pid_t pid, Role role, const Place& place, int number) {
    auto held = process::hold(pid);
    if (held.open() && role_of(pid, place) == role) process::signal_held(held, number);
}

void signal_all(const Leftovers& found, const Place& place, int number) {
    if (found.postmaster != 0) signal_as(found.postmaster, Role::postmaster, place, number);
    if (found.postmaster != 0 && number != SIGKILL) return;  // reported by itself
    for (pid_t pid : found.children) signal_as(pid, Role::child, place, number);
}

bool gone_within(milliseconds limit, const Place& place, const EmbeddedOptions& options) {
    auto began = options.clock->steady();
    while (!find_leftovers(place).none()) {
        if (options.clock->steady() - began > limit) return false;
        std::this_thread::sleep_for(poll_every);
    }
    return true;
}

// A zombie. Where no process reaps orphans (a container without an init) it stays one forever, and
// PostgreSQL would take the pid for a living server's.
bool zombie(pid_t pid) {
    auto stat = read_file(proc(pid, "stat"));
    auto name_end = stat.rfind(") ");
    return name_end != std::string::npos && stat.substr(name_end + 2, 1) == "Z";
}

// A process that is just ending has released its memory, and with it its arguments, but still has
// its pid and its name: it must not be taken for another server.
bool ended_in_time(pid_t pid, const EmbeddedOptions& options) {
    auto began = options.clock->steady();
    while (kill(pid, 0) == 0 && !zombie(pid) && read_file(proc(pid, "cmdline")).empty()) {
        if (options.clock->steady() - began > sigkill_timeout) return false;
        std::this_thread::sleep_for(poll_every);
    }
    return kill(pid, 0) != 0 || zombie(pid);
}

Result<void> remove_stale_pid(const Place& place, pid_t pid) {
    log::warn("stale pid removed from the database's pid file",
              {{"pid", static_cast<std::int64_t>(pid)}, {"file", place.pid_file()}});
    auto text = read_file(place.pid_file());
    auto line_end = text.find('\n');
    // The rest stays: by the shared memory named there PostgreSQL knows whether children live.
    auto rest = line_end == std::string::npos ? "\n" : text.substr(line_end);
    auto replaced = replace_file(place.pid_file(), nobodys_pid + rest);
    if (geteuid() == 0 && replaced) {
        [[maybe_unused]] auto owned =
            chown(place.pid_file().c_str(), place.owner_uid(), place.owner_gid());
    }
    return replaced;
}

// A server that an administrator started on this cluster (pg_ctl) is not stopped. The pid file
// keeps two servers apart, so only a pid of another program is struck out.
Result<void> check_pid_file(const Place& place, const EmbeddedOptions& options) {
    auto file = read_pid_file(place);
    if (file.pid <= 0 || (kill(file.pid, 0) != 0 && errno == ESRCH)) return {};
    if (ended_in_time(file.pid, options)) return remove_stale_pid(place, file.pid);
    auto program = read_file(proc(file.pid, "comm"));
    std::error_code unreadable;
    auto where = fs::read_symlink(proc(file.pid, "cwd"), unreadable);
    bool elsewhere = !unreadable && where != place.cluster;
    if ((program == "postgres\n" || program == "postmaster\n") && !elsewhere) {
        return refused("a PostgreSQL server that pawl did not start (pid " +
                       std::to_string(file.pid) + ") runs on " + place.cluster + ": stop it first");
    }
    return remove_stale_pid(place, file.pid);
}

// The socket's lock names a pid too. Its directory is private to this cluster, so that process has
// ended, or its pid was reused.
Result<void> clear_locks(const Place& place, const EmbeddedOptions& options) {
    auto checked = check_pid_file(place, options);
    if (!checked) return checked;
    auto socket = place.socket_dir + "/.s.PGSQL." + port;
    unlink(socket.c_str());
    unlink((socket + ".lock").c_str());
    return {};
}

}  // namespace

Leftovers find_leftovers(const Place& place) {
    Leftovers found;
    std::error_code failed;
    for (fs::directory_iterator entry("/proc", failed), end; !failed && entry != end;
         entry.increment(failed)) {
        auto name = entry->path().filename().string();
        if (!std::isdigit(static_cast<unsigned char>(name.front()))) continue;
        pid_t pid = pid_from(name);
        auto role = role_of(pid, place);
        if (role == Role::postmaster) found.postmaster = pid;
        if (role == Role::child) found.children.push_back(pid);
    }
    return found;
}

Result<void> clear_leftovers(const Place& place, const EmbeddedOptions& options) {
    auto found = find_leftovers(place);
    if (!found.none()) {
        log::warn("orphaned database server found; stopping it",
                  {{"pid", static_cast<std::int64_t>(found.postmaster)},
                   {"processes", found.children.size()},
                   {"cluster", place.cluster}});
    }
    struct Step {
        int signal;
        milliseconds limit;
    };
    // Fast shutdown, immediate shutdown, and the end: durable each time, the last two by recovery.
    for (auto step : {Step{SIGINT, options.orphan_limit}, Step{SIGQUIT, immediate_shutdown_timeout},
                      Step{SIGKILL, sigkill_timeout}}) {
        found = find_leftovers(place);
        if (found.none()) return clear_locks(place, options);
        // Children without a server end by themselves; to them SIGINT would mean "cancel".
        if (found.postmaster != 0 || step.signal != SIGINT) signal_all(found, place, step.signal);
        if (gone_within(step.limit, place, options)) return clear_locks(place, options);
    }
    return unreachable("the database server that was left running on " + place.cluster + " (pid " +
                       std::to_string(found.postmaster) +
                       ") did not exit after SIGKILL: check for hung disk I/O");
}

PidFile read_pid_file(const Place& place) {
    std::istringstream text(read_file(place.pid_file()));
    PidFile file;
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
        if (number == 1) file.pid = pid_from(line);
        if (number == 8) file.status = line.substr(0, line.find(' '));
    }
    return file;
}

}  // namespace pawl::db::cluster
