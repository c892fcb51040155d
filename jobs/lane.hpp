// A bulkhead for one kind of job, or one target of it: its own threads, limit and circuit breaker,
// so that a stuck lane holds up no other. Driven by the worker's thread; only the handler runs on
// the lane's.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "base/executor.hpp"
#include "jobs/breaker.hpp"
#include "jobs/job.hpp"
#include "jobs/job_queue.hpp"
#include "jobs/retry_policy.hpp"

namespace pawl::jobs {

struct LaneSpec {
    std::string kind;
    std::string target = {};
    Handler handler;
    std::function<void()> hurry = {};  // permanently asks running jobs to end soon
    std::size_t concurrency = 4;
    std::size_t held_max = 8;  // claimed at the same time, including jobs that wait for a thread
    bool ordered = false;
    RetryPolicy retry = {};
    BreakerOptions breaker = {};
};

// A job leased by this process, its lane, and the local expiry of its lease.
struct HeldJob {
    Job job;
    std::size_t lane = 0;
    bool suspect = false;
    std::atomic<bool> taken{false};  // ended by its handler, or released
    // By the local steady clock, which advances while the process is suspended: a job not begun by
    // then may belong to another worker.
    std::atomic<std::chrono::steady_clock::time_point> good_until;
};

class Lane {
  public:
    explicit Lane(LaneSpec spec);

    const LaneSpec& spec() const { return spec_; }
    Breaker& breaker() { return breaker_; }
    ClaimRequest want(Time now) const;
    void holds(const HeldJob& job);
    void release(const HeldJob& job);
    [[nodiscard]] bool post(std::function<void()> task) { return threads_.post(std::move(task)); }
    void hurry() const {
        if (spec_.hurry) spec_.hurry();
    }
    void stop() { threads_.stop(); }  // runs what was posted, and returns

  private:
    const LaneSpec spec_;
    Breaker breaker_;
    std::size_t held_ = 0;
    std::size_t suspects_ = 0;
    Executor threads_;
};

}  // namespace pawl::jobs
