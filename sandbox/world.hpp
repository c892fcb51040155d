// Everything a sandbox consists of, for those who answer its requests. Built by Sandbox, which
// outlives every request. Each part guards itself.
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

// The system's clock, moved forward on demand: a day in which keys are forgotten is then a call.
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
    SystemClock system_clock;  // signatures are dated by it: whoever checks them has no other
    Book book;
    KeyMemory keys;
    Faults faults;
    Schedule schedule{8};  // so many webhooks at a time
    Webhooks webhooks;
};

}  // namespace pawl::sandbox
