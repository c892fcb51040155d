// Moves staged jobs into the queue, in batches: exactly those that it locked. Several at once get
// out of each other's way. Sleeps until it is woken, and looks by itself with jitter: the look is
// the truth, the signal only makes it early. `run_once` is what tests drive; `start` repeats it on
// a thread of its own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "jobs/queue.hpp"
#include "jobs/wake.hpp"

namespace pawl::jobs {

struct EnqueuerOptions {
    std::size_t batch_max = 500;
    std::chrono::milliseconds poll{500};
    // Between two batches that were not full: what is staged meanwhile travels together, and the
    // commits of those who stage are not held up by ours.
    std::chrono::milliseconds gap{10};
};

class Enqueuer {
  public:
    // `on_ready`: there is something to carry out.
    Enqueuer(EnqueuerOptions options, Routes routes, std::unique_ptr<Queue> queue,
             const Clock& clock, Metrics& metrics, std::function<void()> on_ready);
    ~Enqueuer();  // stops

    Wake& wake() { return wake_; }
    void start();
    void stop();

    Moved run_once();  // throws db::Failure

  private:
    void run();

    const EnqueuerOptions options_;
    const Routes routes_;
    const std::unique_ptr<Queue> queue_;
    const Clock& clock_;
    const std::function<void()> on_ready_;
    Counter& moved_;
    Wake wake_;
    std::thread thread_;
};

}  // namespace pawl::jobs
