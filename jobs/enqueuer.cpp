#include "jobs/enqueuer.hpp"

#include <thread>

namespace pawl::jobs {

Enqueuer::Enqueuer(EnqueuerOptions options, Routes routes, std::unique_ptr<JobQueue> queue,
                   const Clock& clock, Metrics& metrics, std::function<void()> on_ready)
    : options_(options),
      routes_(std::move(routes)),
      queue_(std::move(queue)),
      clock_(clock),
      on_ready_(std::move(on_ready)),
      moved_(metrics.counter("pawl_jobs_moved_total", "Staged jobs that were moved to the queue.")
                 .alone()),
      loop_("enqueuer", [this] { return move_all(); }) {}

Moved Enqueuer::run_once() {
    const Moved moved = queue_->move(routes_, options_.batch_max, clock_.now());
    moved_.add(moved.jobs);
    if (moved.ready > 0) on_ready_();
    return moved;
}

Loop::Pause Enqueuer::move_all() {
    while (run_once().jobs == options_.batch_max && !loop_.draining()) {
    }
    std::this_thread::sleep_for(options_.gap);
    return jittered(options_.poll, chance_);
}

}  // namespace pawl::jobs
