// A few sessions shared by threads that may wait: admin requests, maintenance. Bounded: a caller
// that finds none free waits a little and is then refused. The committers do not use it: they must
// never wait for a report. Safe from every thread; outlives its leases.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "db/session.hpp"

namespace pawl::db {

class Pool {
  public:
    Pool(SessionOptions options, std::size_t sessions_max);

    class PooledSession {
      public:
        PooledSession(Pool& pool, std::unique_ptr<Session> session)
            : pool_(&pool), session_(std::move(session)) {}
        PooledSession(PooledSession&&) noexcept = default;
        PooledSession& operator=(PooledSession&&) = delete;
        ~PooledSession();
        Session& operator*() const { return *session_; }
        Session* operator->() const { return session_.get(); }

      private:
        Pool* pool_;
        std::unique_ptr<Session> session_;
    };

    // Throws Failure{unreachable} when none comes free in time.
    PooledSession take(std::chrono::milliseconds wait_max = std::chrono::milliseconds(1500));

  private:
    void give_back(std::unique_ptr<Session> session);

    const SessionOptions options_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<std::unique_ptr<Session>> idle_;
    std::size_t unmade_;
};

}  // namespace pawl::db
