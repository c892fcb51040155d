// A coalesced signal: any number of pokes before the sleeper looks are one. It carries no truth;
// whoever sleeps on it also looks by itself. `poke` costs next to nothing and may be called from
// every thread, after a commit and never inside one.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/rng.hpp"

namespace pawl::jobs {

// Between half and one and a half of it: those who poll must not come to poll in step.
std::chrono::microseconds jittered(std::chrono::microseconds pause, Rng& chance);

class Wake {
  public:
    void poke();
    void stop();  // for good: every wait returns at once
    bool stopping() const { return stopping_; }
    // True when poked, or stopping.
    bool wait_for(std::chrono::microseconds longest);

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<bool> poked_{false};
    std::atomic<bool> stopping_{false};
};

}  // namespace pawl::jobs
