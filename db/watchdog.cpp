#include "db/watchdog.hpp"

#include <pthread.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace pawl::db {
namespace {

using namespace std::chrono_literals;

// How late a connection may be cut. Looking costs next to nothing: as many entries as sessions.
constexpr std::chrono::milliseconds glance(50);
// What libpq takes at least before it gives up on a host that hangs.
constexpr std::chrono::seconds connecting_max(2);

}  // namespace

Watchdog::Watchdog() : thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    ending_now_.notify_all();
    thread_.join();
}

void Watchdog::run() {
    pthread_setname_np(pthread_self(), "watchdog");
    std::unique_lock lock(mutex_);
    while (!ending_) {
        const auto now = std::chrono::steady_clock::now();
        for (Watched& one : watched_) {
            const bool cut = one.until == std::chrono::steady_clock::time_point::max();
            if (cut || std::min(one.until, end_) > now) continue;
            ::shutdown(one.socket, SHUT_RDWR);
            one.until = std::chrono::steady_clock::time_point::max();  // once is enough
        }
        ending_now_.wait_for(lock, glance);
    }
}

void Watchdog::end_at(std::chrono::steady_clock::time_point time) {
    const std::lock_guard lock(mutex_);
    end_ = time;
}

bool Watchdog::may_connect() const {
    const std::lock_guard lock(mutex_);
    return std::chrono::steady_clock::now() < end_ - (away_ ? connecting_max : 0s);
}

void Watchdog::note_connected(bool connected) {
    const std::lock_guard lock(mutex_);
    away_ = !connected;
}

Watchdog::Watch::Watch(std::shared_ptr<Watchdog> dog, int socket, std::chrono::milliseconds limit)
    : dog_(std::move(dog)) {
    if (!dog_) return;
    const auto until = std::chrono::steady_clock::now() + limit;
    const std::lock_guard lock(dog_->mutex_);
    place_ = dog_->watched_.insert(dog_->watched_.end(), {socket, until});
}

Watchdog::Watch::~Watch() {
    if (!dog_) return;
    const std::lock_guard lock(dog_->mutex_);
    dog_->watched_.erase(place_);
}

}  // namespace pawl::db
