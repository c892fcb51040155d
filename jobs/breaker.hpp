// A circuit breaker for one target: after several failures in a row it opens and blocks the target
// for a growing pause, then lets one probe through. Time is passed in. Not thread-safe: its lane
// guards it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "base/rng.hpp"

namespace pawl::jobs {

struct BreakerOptions {
    int failures_max = 5;                      // in a row, then it opens
    Duration first = std::chrono::seconds(2);  // the first open time; it doubles
    Duration longest = std::chrono::minutes(5);
};

class Breaker {
  public:
    explicit Breaker(BreakerOptions options = {}) : options_(options) {}

    // Number of jobs that may start now; `room` while the breaker is closed.
    std::size_t allows(std::size_t room, std::size_t running, Time now) const;
    // Returns true if the breaker has just closed again after having been open.
    bool succeeded();
    void failed(Time now, Rng& chance);
    void pause_until(Time until);  // requested by Retry-After
    bool open(Time now) const { return now < quiet_until_; }

  private:
    const BreakerOptions options_;
    int failures_ = 0;  // in a row
    int openings_ = 0;  // in a row
    Time quiet_until_{};
};

}  // namespace pawl::jobs
