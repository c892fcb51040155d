#include "jobs/enqueuer.hpp"

#include <pthread.h>

#include "base/log.hpp"
#include "base/rng.hpp"
#include "db/failure.hpp"

namespace pawl::jobs {
namespace {

constexpr std::chrono::milliseconds pause_after_failure(500);

}  // namespace

Enqueuer::Enqueuer(EnqueuerOptions options, Routes routes, std::unique_ptr<Queue> queue,
                   const Clock& clock, Metrics& metrics, std::function<void()> on_ready)
    : options_(options),
      routes_(std::move(routes)),
      queue_(std::move(queue)),
      clock_(clock),
      on_ready_(std::move(on_ready)),
      moved_(metrics.counter("pawl_jobs_moved_total", "Staged jobs that were moved to the queue.")
                 .alone()) {}

Enqueuer::~Enqueuer() {
    stop();
}

void Enqueuer::start() {
    thread_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "enqueuer");
        run();
    });
}

void Enqueuer::stop() {
    wake_.stop();
    if (thread_.joinable()) thread_.join();
}

Moved Enqueuer::run_once() {
    const Moved moved = queue_->move(routes_, options_.batch_max, clock_.now());
    moved_.add(moved.jobs);
    if (moved.ready > 0) on_ready_();
    return moved;
}

void Enqueuer::run() {
    SecureRng chance;
    while (!wake_.stopping()) {
        try {
            while (run_once().jobs == options_.batch_max && !wake_.stopping()) {
            }
            std::this_thread::sleep_for(options_.gap);
            wake_.wait_for(jittered(options_.poll, chance));
        } catch (const db::Failure& failure) {
            log::debug("staged jobs could not be moved", {{"why", failure.what()}});
            wake_.wait_for(jittered(pause_after_failure, chance));
        }
    }
}

}  // namespace pawl::jobs
