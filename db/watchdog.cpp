#include "db/watchdog.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace pawl::db {
namespace {

using namespace std::chrono_literals;

// The time that libpq takes at least before it abandons a host that hangs.
constexpr std::chrono::seconds connecting_max(2);

}  // namespace

void Watchdog::end_at(std::chrono::steady_clock::time_point time) {
    {
        const std::lock_guard lock(mutex_);
        end_ = time;
    }
    at_end_ = timer_->at(time, [this] {
        const std::lock_guard lock(mutex_);
        for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
    });
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
    auto until = std::chrono::steady_clock::now() + limit;
    {
        const std::lock_guard lock(dog_->mutex_);
        place_ = dog_->sockets_.insert(dog_->sockets_.end(), socket);
        until = std::min(until, dog_->end_);
    }
    limit_ = dog_->timer_->at(until, [socket] { ::shutdown(socket, SHUT_RDWR); });
}

Watchdog::Watch::~Watch() {
    if (!dog_) return;
    limit_.cancel();  // the descriptor may be closed after this
    const std::lock_guard lock(dog_->mutex_);
    dog_->sockets_.erase(place_);
}

}  // namespace pawl::db
