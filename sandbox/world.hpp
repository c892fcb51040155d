// The parts of a sandbox, shared by its request handlers. Built by Sandbox, which outlives every
// request. Each part guards itself.
#pragma once

#include <atomic>

#include "base/clock.hpp"
#include "sandbox/book.hpp"
#include "sandbox/faults.hpp"
#include "sandbox/key_memory.hpp"
#include "sandbox/options.hpp"
#include "sandbox/schedule.hpp"
#include "sandbox/webhooks.hpp"

namespace pawl::sandbox {

// The system's clock, moved forward on demand: a test can skip the day after which keys expire.
class MovedClock final : public Clock {
  public:
    Time now() const override { return system_.now() + Duration(moved_by_.load()); }
    std::chrono::steady_clock::time_point steady() const override { return system_.steady(); }
    void advance(Duration by) { moved_by_ += by.count(); }

  private:
    SystemClock system_;
    std::atomic<Duration::rep> moved_by_{0};
};

struct World {
    World(const Options& from, Webhooks::Options webhook_options)
        : options(from),
          keys(from.key_horizon),
          faults(from.seed),
          webhooks(std::move(webhook_options), schedule, system_clock) {}

    const Options options;
    MovedClock clock;
    SystemClock system_clock;  // dates the signatures, which receivers check by the real time
    Book book;
    KeyMemory keys;
    Faults faults;
    Schedule schedule{8};  // webhooks in flight at a time
    Webhooks webhooks;
};

}  // namespace pawl::sandbox
