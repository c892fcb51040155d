// How many runs of a lane may begin now, so that a gateway is called no more often than it likes.
// What was not used is kept for a second, and no longer. For one thread.
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
