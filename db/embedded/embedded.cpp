#include "db/embedded/embedded.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/log.hpp"
#include "db/embedded/connect.hpp"
#include "db/embedded/create.hpp"
#include "db/embedded/files.hpp"
#include "db/embedded/home.hpp"
#include "db/embedded/place.hpp"
#include "db/embedded/programs.hpp"
#include "db/embedded/settings.hpp"
#include "db/embedded/supervisor.hpp"

namespace pawl::db {
namespace {

using namespace cluster;
using std::chrono::milliseconds;
constexpr milliseconds poll_every{20};

Result<Programs> programs_of(const Place& place, const EmbeddedOptions& options) {
    if (!place.created()) return newest_programs(options);
    int major = major_of(read_file(place.cluster + "/PG_VERSION"));
    if (major > 0) return programs_for(major, place.cluster, options);
    return refused(place.cluster +
                   "/PG_VERSION cannot be read: restore the data directory from a "
                   "backup, or move it away to begin with an empty one");
}

Notes noted(const Place& place, pid_t ready) {
    Notes notes{"", place.socket_dir, ready};
    if (place.base != place.data_dir) notes.cluster = place.cluster;
    return notes;
}

// Prepares the server's start: layout, user, programs, and a cluster.
Result<Place> prepare(const std::string& data_dir, Programs& programs,
                      const EmbeddedOptions& options) {
    auto place = choose_place(data_dir, read_notes(data_dir), options);
    if (!place) return place;
    auto found = programs_of(*place, options);
    if (!found) return found.error();
    programs = *found;
    if (!place->note.empty()) {
        log::info(place->note, {{"data_dir", data_dir}, {"cluster", place->cluster}});
    }
    if (!place->created()) {
        log::info("creating a database cluster",
                  {{"cluster", place->cluster}, {"postgresql", programs.major}});
        auto made = create_cluster(*place, programs, options);
        if (!made) return made.error();
    }
    auto socket_dir = make_socket_dir(*place);
    if (!socket_dir) return socket_dir.error();
    place->socket_dir = *socket_dir;
    auto written = write_notes(data_dir, noted(*place, 0));
    if (!written) return written.error();
    return place;
}

Error not_ready(const std::string& data_dir, const Holder& holder) {
    return unreachable("pawl " + holder.purpose + " (pid " + std::to_string(holder.pid) +
                       ") holds " + data_dir + " and its database does not get ready: see " +
                       data_dir + "/postgres.log");
}

// The directory of the socket of the server that runs, once it accepts connections; else empty.
Result<std::string> ready_server(const std::string& data_dir, const Lock& lock) {
    auto notes = read_notes(data_dir);
    auto holder = lock.holder();
    if (notes.ready == 0 || notes.ready != holder.pid) return std::string();
    if (access(notes.socket_dir.c_str(), X_OK) != 0 && errno == EACCES) {
        return refused("the database of pawl " + holder.purpose + " (pid " +
                       std::to_string(holder.pid) +
                       ") is private to the user that runs it: run "
                       "this command as that user or as root");
    }
    return accepts_connections(notes.socket_dir) ? notes.socket_dir : std::string();
}

// Only if it certainly does not exist: a directory that this user may not enter is reported as
// such.
bool absent(const std::string& path) {
    return access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

bool has_cluster(const std::string& data_dir) {
    return !absent(data_dir + "/postgres/PG_VERSION") || !read_notes(data_dir).cluster.empty();
}

Error no_installation(const std::string& data_dir) {
    return invalid("the data directory " + data_dir +
                   " holds no installation of pawl: run `pawl serve` to begin one there, or set "
                   "PAWL_DATA_DIR (or PAWL_DATABASE_URL) to the one that is meant");
}

}  // namespace

struct EmbeddedCluster::State {
    Lock lock;
    EmbeddedOptions options;
    std::string data_dir;
    Place place{};
    std::string socket_dir{};
    std::unique_ptr<Supervisor> supervisor{};  // null: the server is another's
    bool stopped = false;

    // A short command's server may be in use by others that found it running: they finish first.
    void await_users() {
        auto began = options.clock->steady();
        while (options.purpose != "serve" && !lock.try_keep_users_out() &&
               options.clock->steady() - began < options.stop_limit) {
            std::this_thread::sleep_for(poll_every);
        }
    }
};

EmbeddedCluster::EmbeddedCluster(std::unique_ptr<State> state) : state_(std::move(state)) {}
EmbeddedCluster::EmbeddedCluster(EmbeddedCluster&&) noexcept = default;
EmbeddedCluster::~EmbeddedCluster() {
    stop();
}

EmbeddedCluster& EmbeddedCluster::operator=(EmbeddedCluster&& other) noexcept {
    if (this == &other) return *this;
    stop();
    state_ = std::move(other.state_);
    return *this;
}

Result<EmbeddedCluster> EmbeddedCluster::run_own(std::unique_ptr<State> state) {
    Programs programs;
    auto place = prepare(state->data_dir, programs, state->options);
    if (!place) return place.error();
    state->place = *place;
    state->socket_dir = place->socket_dir;
    auto supervisor = Supervisor::start(*place, programs, state->options);
    if (!supervisor) {
        rmdir(place->socket_dir.c_str());
        return supervisor.error();
    }
    state->supervisor = std::move(*supervisor);
    auto database = ensure_database(*place, programs);
    if (!database) return database.error();
    auto written = write_notes(state->data_dir, noted(*place, getpid()));
    if (!written) return written.error();
    log::info("embedded database started",
              {{"postgresql", programs.major},
               {"pid", static_cast<std::int64_t>(state->supervisor->server_pid())},
               {"cluster", place->cluster},
               {"socket_dir", place->socket_dir}});
    return EmbeddedCluster(std::move(state));
}

Result<EmbeddedCluster> EmbeddedCluster::start(const EmbeddedOptions& options) {
    auto data_dir = make_data_dir(options.data_dir);
    if (!data_dir) return data_dir.error();
    auto lock = own(*data_dir, {getpid(), options.purpose}, *options.clock, options.busy_limit);
    if (!lock) return lock.error();
    return run_own(std::unique_ptr<State>(new State{std::move(*lock), options, *data_dir}));
}

// Each poll checks whether the directory is free for a server of this process, or another's is
// ready.
Result<EmbeddedCluster> EmbeddedCluster::use(const EmbeddedOptions& options) {
    const auto wanted = std::filesystem::absolute(options.data_dir).lexically_normal().string();
    // A server that is just beginning one has the lock.
    if (!options.create && absent(wanted + "/pawl.lock") && !has_cluster(wanted)) {
        return no_installation(wanted);
    }
    auto data_dir = make_data_dir(options.data_dir);
    if (!data_dir) return data_dir.error();
    auto lock = Lock::open(*data_dir);
    if (!lock) return lock.error();
    std::unique_ptr<State> state(new State{std::move(*lock), options, *data_dir});
    for (auto began = options.clock->steady();; std::this_thread::sleep_for(poll_every)) {
        if (state->lock.try_own()) {
            if (!options.create && !has_cluster(*data_dir)) return no_installation(*data_dir);
            state->lock.write_holder({getpid(), options.purpose});
            return run_own(std::move(state));
        }
        // Lock the cluster against its stop first, then look for the server.
        if (state->lock.try_use()) {
            auto ready = ready_server(*data_dir, state->lock);
            if (!ready) return ready.error();
            state->socket_dir = *ready;
            if (!ready->empty()) return EmbeddedCluster(std::move(state));
            state->lock.unlock(Lock::Part::users);
        }
        if (options.clock->steady() - began > options.busy_limit) {
            return not_ready(*data_dir, state->lock.holder());
        }
    }
}

Result<std::optional<std::string>> EmbeddedCluster::running(const EmbeddedOptions& options) {
    std::optional<std::string> nothing;
    auto data_dir = std::filesystem::absolute(options.data_dir).lexically_normal().string();
    if (access((data_dir + "/pawl.lock").c_str(), F_OK) != 0) return nothing;
    auto lock = Lock::open(data_dir);
    if (!lock) return lock.error();
    for (auto began = options.clock->steady(); lock->owned_by_another();
         std::this_thread::sleep_for(poll_every)) {
        auto ready = ready_server(data_dir, *lock);
        if (!ready) return ready.error();
        if (!ready->empty()) return std::optional(url_of(*ready, admin_role));
        if (options.clock->steady() - began > options.busy_limit) {
            return not_ready(data_dir, lock->holder());
        }
    }
    return nothing;
}

std::string EmbeddedCluster::url() const {
    return url_as(admin_role);
}

std::string EmbeddedCluster::url_as(const std::string& role) const {
    return url_of(state_->socket_dir, role);
}

void EmbeddedCluster::stop() {
    if (!ours() || std::exchange(state_->stopped, true)) return;
    state_->await_users();
    auto recorded = write_notes(state_->data_dir, noted(state_->place, 0));
    if (!recorded) log::warn("stop could not be recorded", {{"error", recorded.error().message}});
    state_->supervisor->stop();
    rmdir(state_->socket_dir.c_str());
    state_->lock.write_holder({});
    state_->lock.unlock(Lock::Part::users);
    state_->lock.unlock(Lock::Part::owner);
}

bool EmbeddedCluster::ours() const {
    return state_ && state_->supervisor;
}
pid_t EmbeddedCluster::server_pid() const {
    return ours() ? state_->supervisor->server_pid() : 0;
}
int EmbeddedCluster::restarts() const {
    return ours() ? state_->supervisor->restarts() : 0;
}

}  // namespace pawl::db
