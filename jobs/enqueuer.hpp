// Moves staged jobs into the queue, in batches: exactly the rows that it locked. Several enqueuers
// skip each other's rows. Polls with jitter; polling is authoritative, a wake-up only reduces
// latency. Tests drive `run_once`; `start` repeats it on a thread of its own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/clock.hpp"
#include "base/loop.hpp"
#include "base/metrics.hpp"
#include "jobs/job_queue.hpp"

namespace pawl::jobs {

struct EnqueuerOptions {
    std::size_t batch_max = 500;
    std::chrono::milliseconds poll{500};
    // The pause between two batches that were not full: jobs staged meanwhile are enqueued
    // together, and the commits of the stagers do not wait for the enqueuer's.
    std::chrono::milliseconds gap{10};
};

class Enqueuer {
  public:
    // `on_ready` is called when jobs are ready to run.
    Enqueuer(EnqueuerOptions options, Routes routes, std::unique_ptr<JobQueue> queue,
             const Clock& clock, Metrics& metrics, std::function<void()> on_ready);

    void start() { loop_.start(); }
    void poke() { loop_.poke(); }    // something may have been staged
    void drain() { loop_.drain(); }  // begins nothing more; returns at once
    void stop() { loop_.join(); }

    Moved run_once();  // throws db::Failure

  private:
    Loop::Pause move_all();

    const EnqueuerOptions options_;
    const Routes routes_;
    const std::unique_ptr<JobQueue> queue_;
    const Clock& clock_;
    const std::function<void()> on_ready_;
    Counter& moved_;
    SecureRng chance_;
    Loop loop_;
};

}  // namespace pawl::jobs
