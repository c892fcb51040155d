#include "db/embedded/supervisor.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "db/embedded/files.hpp"
#include "db/embedded/leftovers.hpp"

namespace pawl::db::cluster {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds first_pause{100};
constexpr milliseconds longest_pause{5000};  // a full disk that was freed is noticed soon
constexpr milliseconds log_check{60000};
constexpr milliseconds memory_held_limit{5000};
constexpr const char* memory_held = "pre-existing shared memory block";  // PostgreSQL's words
constexpr std::uint64_t running_log_bytes_max = 64u << 20;

}  // namespace

Supervisor::Supervisor(Place place, Programs programs, EmbeddedOptions options)
    : place_(std::move(place)),
      programs_(std::move(programs)),
      options_(std::move(options)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Supervisor::~Supervisor() {
    stop();
}

Result<std::unique_ptr<Supervisor>> Supervisor::start(Place place, Programs programs,
                                                      EmbeddedOptions options) {
    std::unique_ptr<Supervisor> made(
        new Supervisor(std::move(place), std::move(programs), std::move(options)));
    std::promise<Result<void>> first;
    auto answer = first.get_future();
    made->thread_ = std::thread([&first, us = made.get()] {
        pthread_setname_np(pthread_self(), "supervisor");
        us->run(first);
    });
    auto started = answer.get();
    if (started) return made;
    made->stop();
    return started.error();
}

void Supervisor::stop() {
    if (!thread_.joinable()) return;
    stopping_ = true;
    std::uint64_t one = 1;
    [[maybe_unused]] auto woken = write(wake_.get(), &one, sizeof one);
    thread_.join();
}

// The server is started on this thread and no other, because it ends with the thread.
void Supervisor::run(std::promise<Result<void>>& first) {
    auto server = start_server();
    first.set_value(server ? Result<void>() : Result<void>(server.error()));
    while (server) {
        watch(*server);
        if (stopping_) {
            server->stop(options_);
            server_pid_ = 0;
            return;
        }
        log::error("database server exited; restarting it", {{"error", server->last_words()}});
        server_pid_ = 0;
        server = restart_server();
    }
}

// A process of a killed server that is about to end is not found any more by its arguments, and
// holds the server's memory for a moment longer.
Result<Server> Supervisor::start_server() {
    const auto began = options_.clock->steady();
    for (;;) {
        auto cleared = clear_leftovers(place_, options_);
        if (!cleared) return cleared.error();
        auto server =
            Server::start(place_, programs_, options_, [this] { return stopping_.load(); });
        if (server) server_pid_ = server->child().pid();
        const bool held = !server && server.error().message.find(memory_held) != std::string::npos;
        if (!held || options_.clock->steady() - began > memory_held_limit) return server;
        if (stopped_within(first_pause)) return unreachable("stopped");
    }
}

Result<Server> Supervisor::restart_server() {
    for (auto pause = first_pause;; pause = std::min(pause * 2, longest_pause)) {
        if (stopped_within(pause)) return unreachable("stopped");
        // A cleaner of /tmp may have removed the socket's directory.
        auto socket_dir = make_socket_dir(place_);
        if (socket_dir && *socket_dir != place_.socket_dir) {
            log::error("socket directory belongs to another user",
                       {{"directory", place_.socket_dir}});
        }
        auto server = start_server();
        if (server) {
            ++restarts_;
            log::info("database server restarted",
                      {{"pid", static_cast<std::int64_t>(server->child().pid())}});
            return server;
        }
        log::error("database server restart failed", {{"error", server.error().message}});
    }
}

// Until the server ends or a stop is requested. Bounds the size of its log meanwhile.
void Supervisor::watch(Server& server) {
    while (!stopping_ && server.child().running()) {
        pollfd events[] = {{wake_.get(), POLLIN, 0}, {server.child().pidfd(), POLLIN, 0}};
        poll(events, 2, static_cast<int>(log_check.count()));
        cut_log(place_.log(), running_log_bytes_max);
    }
}

bool Supervisor::stopped_within(milliseconds pause) const {
    pollfd woken{wake_.get(), POLLIN, 0};
    poll(&woken, 1, static_cast<int>(pause.count()));
    return stopping_;
}

}  // namespace pawl::db::cluster
