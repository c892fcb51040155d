// The leases that this process holds, and until when it may count on them. A lease is written by
// the database's clock; here it is measured by the steady clock from before it was asked for, so
// that a process that was stopped for a while notices by itself that its time is up. One thread
// renews them all. Safe from every thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>

#include "base/clock.hpp"
#include "base/loop.hpp"
#include "db/pool.hpp"

namespace pawl::workflows {

class Leases {
  public:
    using Steady = std::chrono::steady_clock::time_point;

    Leases(std::chrono::seconds length, db::Pool& sessions, const Clock& clock);

    void start() { loop_.start(); }
    void stop() { loop_.join(); }

    std::chrono::seconds length() const { return length_; }
    // `asked_at`: before the statement that wrote the lease was sent.
    void track(std::int64_t run, std::int64_t fencing_token, Steady asked_at);
    void untrack(std::int64_t run);
    // Called right before every send: true while no other worker can have claimed the run.
    bool is_valid(std::int64_t run) const;

    void renew_once(db::Session& session);  // what the thread does; throws db::Failure

  private:
    struct Held {
        std::int64_t fencing_token = 0;
        Steady until;
    };
    Loop::Pause renew();

    const std::chrono::seconds length_;
    db::Pool& sessions_;
    const Clock& clock_;
    mutable std::mutex mutex_;
    std::map<std::int64_t, Held> held_;
    Loop loop_;
};

}  // namespace pawl::workflows
