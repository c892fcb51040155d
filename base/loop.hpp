// A named thread that repeats a step: after the pause that the step asks for, and at once after
// `poke`. A part that has one declares it last: then every member that the step uses outlives
// the thread, and the step may capture `this`. start, join and wait are for the owner's thread;
// `poke`, `drain` and `draining` for every thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/rng.hpp"

namespace pawl {

// Returns a random duration between 0.5 and 1.5 times `pause`, so that the polls of several
// processes do not synchronize.
std::chrono::microseconds jittered(std::chrono::microseconds pause, Rng& chance);

class Loop {
  public:
    using Pause = std::chrono::microseconds;
    static constexpr Pause until_poked = Pause::max();
    // One round. Returns the pause before the next one. An exception is logged, and paused after.
    using Step = std::function<Pause()>;

    Loop(std::string name, Step step,
         std::chrono::milliseconds pause_after_failure = std::chrono::milliseconds(500));
    ~Loop();  // joins
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    void start();  // the first round begins at once
    // The next round begins now; several calls before it count as one. Costs next to nothing while
    // one is pending. A pause after a failure is not cut short.
    void poke();
    void drain();  // begins no more rounds; returns at once. The step itself may call it
    bool draining() const { return draining_; }
    void join();  // drains; returns when the present round has ended
    void wait();  // returns when a step has drained the loop

  private:
    void run();
    void pause(Pause longest, bool may_be_poked);

    const std::string name_;
    const Step step_;
    const Pause pause_after_failure_;
    SecureRng chance_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<bool> poked_{false};
    std::atomic<bool> draining_{false};
    std::thread thread_;
};

}  // namespace pawl
