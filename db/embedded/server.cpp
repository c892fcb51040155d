#include "db/embedded/server.hpp"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

#include "base/log.hpp"
#include "db/embedded/connect.hpp"
#include "db/embedded/create.hpp"
#include "db/embedded/files.hpp"
#include "db/embedded/leftovers.hpp"
#include "db/embedded/settings.hpp"

namespace pawl::db::cluster {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds poll_every{10};
constexpr milliseconds immediate_shutdown_timeout{
    7000};  // PostgreSQL kills its own after five seconds
constexpr milliseconds sigkill_timeout{5000};
constexpr std::uint64_t log_bytes_max = 16u << 20;
constexpr std::uint64_t full_disk_mb = 20;  // a WAL segment and a little
// With no room left, PostgreSQL may neither get ready nor end: it is not waited for any longer.
constexpr milliseconds full_disk_limit{3000};
constexpr milliseconds never_ready_stop_limit{2000};

}  // namespace

Result<Server> Server::start(const Place& place, const Programs& programs,
                             const EmbeddedOptions& options,
                             const std::function<bool()>& given_up) {
    cut_log(place.log(), log_bytes_max);
    auto log = open_no_link(place.log(), O_WRONLY | O_CREAT | O_APPEND, 0640);
    if (!log) return log.error();
    give_to_owner_of(place.data_dir, log->get());
    process::Command command;
    command.argv = server_command(programs.program("postgres"), place);
    command.env = server_environment();
    command.identity = place.identity;
    command.death_signal = SIGINT;  // fast shutdown
    command.output_fd = log->get();
    auto log_start = size_of(place.log());
    auto child = process::spawn(command);
    if (!child) return child.error();
    Server server(std::move(*child), place.log(), log_start);
    auto ready = server.await_ready(place, options, given_up);
    if (ready) return server;
    EmbeddedOptions hurried = options;
    hurried.stop_limit = std::min(options.stop_limit, never_ready_stop_limit);
    server.stop(hurried);
    return ready.error();
}

Result<void> Server::await_ready(const Place& place, const EmbeddedOptions& options,
                                 const std::function<bool()>& given_up) {
    auto began = options.clock->steady();
    while (!child_.wait(poll_every)) {
        auto file = read_pid_file(place);
        bool says_so = file.pid == child_.pid() && file.status == "ready";
        if (says_so && accepts_connections(place.socket_dir)) return {};
        if (given_up()) return unreachable("stopped while the database was starting");
        auto waited = options.clock->steady() - began;
        const bool full = waited > full_disk_limit && free_mb(place.cluster) == 0;
        if (full || waited > options.start_limit) {
            const auto limit = full ? full_disk_limit : options.start_limit;
            return failed(
                place, "did not get ready within " + std::to_string(limit.count() / 1000) + " s");
        }
    }
    return failed(place, child_.how_it_ended());
}

Error Server::failed(const Place& place, const std::string& how) const {
    auto words = tail(log_, log_start_);
    auto sentence = "PostgreSQL does not start in " + place.cluster + " (" + how + ")";
    bool no_space = words.find("No space left") != std::string::npos ||
                    words.find("Disk quota exceeded") != std::string::npos;
    if (auto mb = free_mb(place.cluster); mb < full_disk_mb || no_space) {
        sentence += ": its disk is full (" + std::to_string(mb) + " MB are free): free some space";
    }
    return unreachable(sentence + "; it said: " + (words.empty() ? "nothing" : words) +
                       "; all of it is in " + log_);
}

void Server::stop(const EmbeddedOptions& options) {
    struct Step {
        int signal;
        milliseconds limit;
    };
    for (auto step : {Step{SIGINT, options.stop_limit}, Step{SIGQUIT, immediate_shutdown_timeout},
                      Step{SIGKILL, sigkill_timeout}}) {
        child_.signal(step.signal);
        if (child_.wait(step.limit)) return;
        log::warn("database server did not stop; escalating signal",
                  {{"pid", static_cast<std::int64_t>(child_.pid())}, {"signal", step.signal}});
    }
}

std::string Server::last_words() const {
    return child_.how_it_ended() + ": " + tail(log_, log_start_);
}

}  // namespace pawl::db::cluster
