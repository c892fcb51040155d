#include "controllers/http/http_edge_listening.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <trantor/utils/Logger.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <thread>

#include "base/log.hpp"

namespace pawl::http {
namespace {

constexpr int unacknowledged_ms_max = 30'000;

bool listens(int fd) {
    int on = 0;
    socklen_t length = sizeof on;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &length) == 0 && on != 0;
}

}  // namespace

void Listening::add(int fd) {
    std::lock_guard lock(mutex_);
    fds_.push_back(fd);
    changed_.notify_all();
}

bool Listening::wait_for(std::size_t count, std::chrono::milliseconds within) {
    const auto give_up = std::chrono::steady_clock::now() + within;
    std::unique_lock lock(mutex_);
    if (!changed_.wait_until(lock, give_up, [&] { return fds_.size() >= count; })) return false;
    // add() came just before listen(): microseconds are missing.
    while (!std::all_of(fds_.begin(), fds_.end(), listens)) {
        if (std::chrono::steady_clock::now() > give_up) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

void Listening::close() {
    std::lock_guard lock(mutex_);
    for (const int fd : fds_) close_listening(fd);
    fds_.clear();
}

// Another file takes the descriptor's place: the listening socket is closed and leaves epoll with
// it, while trantor keeps owning a descriptor that it may close later.
void close_listening(int fd) {
    const int inert = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (inert < 0) return;
    dup3(inert, fd, O_CLOEXEC);
    ::close(inert);
}

void give_up_on_silent_peers(int fd) {
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged_ms_max,
               sizeof unacknowledged_ms_max);
}

void redirect_drogons_log() {
    trantor::Logger::setLogLevel(trantor::Logger::kWarn);
    trantor::Logger::setOutputFunction(
        [](const char* line, const std::uint64_t length) {
            std::string_view text(line, static_cast<std::size_t>(length));
            if (text.ends_with('\n')) text.remove_suffix(1);
            log::warn("message from Drogon", {{"line", text}});
        },
        [] {});
}

}  // namespace pawl::http
