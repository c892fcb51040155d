#include "db/pool.hpp"

namespace pawl::db {

Pool::Pool(SessionOptions options, std::size_t sessions_max)
    : options_(std::move(options)), unmade_(sessions_max) {}

Pool::PooledSession::~PooledSession() {
    if (session_) pool_->give_back(std::move(session_));
}

Pool::PooledSession Pool::take(std::chrono::milliseconds wait_max) {
    std::unique_lock lock(mutex_);
    const bool found =
        freed_.wait_for(lock, wait_max, [this] { return !idle_.empty() || unmade_ > 0; });
    if (!found) {
        throw Failure(FailureKind::unreachable, "", "every database session is busy");
    }
    if (idle_.empty()) {
        --unmade_;
        return {*this, std::make_unique<Session>(options_)};
    }
    auto session = std::move(idle_.back());
    idle_.pop_back();
    return {*this, std::move(session)};
}

void Pool::give_back(std::unique_ptr<Session> session) {
    {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(session));
    }
    freed_.notify_one();
}

}  // namespace pawl::db
