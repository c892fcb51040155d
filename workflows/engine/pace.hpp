// Rate limiter of a lane: bounds the runs that may begin now, so that a gateway is not called more
// often than its limit. Unused starts are kept for one second. For one thread.
#pragma once

#include <chrono>
#include <cstdint>

namespace pawl::workflows {

class Pace {
  public:
    using Steady = std::chrono::steady_clock::time_point;
    explicit Pace(int per_second = 0) : per_second_(per_second) {}  // 0: as many as wanted

    int allowed(int wanted, Steady now);
    void used(int count) { saved_ms_ -= per_second_ == 0 ? 0 : count * 1000 / per_second_; }

  private:
    int per_second_;
    std::int64_t saved_ms_ = 1000;  // one run costs 1000 / per_second
    Steady filled_{};
};

}  // namespace pawl::workflows
