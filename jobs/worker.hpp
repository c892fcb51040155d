// Runs jobs: claims them under a lease, runs handlers on the lanes' threads, writes their results
// in batches, and renews the leases of long ones. One thread with one session does all queue
// access; results that arrive meanwhile are written together the next time. Every write carries the
// fencing token. Claimed jobs that were not begun are released at the end. Tests drive `run_once`,
// one round; `start` repeats it.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "base/loop.hpp"
#include "base/metrics.hpp"
#include "base/rng.hpp"
#include "jobs/job_queue.hpp"
#include "jobs/lane.hpp"

namespace pawl::jobs {

struct WorkerOptions {
    std::chrono::milliseconds lease{30000};  // as claimed from the queue
    std::chrono::milliseconds poll{500};
    // Crashes of its worker after which a job becomes dead.
    std::int64_t crashes_max = 5;
};

class Worker {
  public:
    Worker(WorkerOptions options, std::vector<LaneSpec> lanes, std::unique_ptr<JobQueue> queue,
           const Clock& clock, Metrics& metrics);
    ~Worker();  // stops

    void start() { loop_.start(); }
    void poke() { loop_.poke(); }  // something may be claimed; from any thread
    // From any thread. Claims nothing more, releases at once the jobs that are not begun, and
    // interrupts those that still run at that time.
    void drain(std::chrono::steady_clock::time_point hurry_at);
    void stop();  // the same; returns when all results are written

    // One round with the queue; returns the number of claimed jobs. Throws db::Failure.
    std::size_t run_once();
    std::size_t held() const { return held_.size(); }  // for tests, where no thread is started

  private:
    struct Result {
        std::shared_ptr<HeldJob> held;
        JobResult ending;
    };

    Loop::Pause round();
    Loop::Pause sync_with_queue();
    Loop::Pause abandon_running();
    bool has_work_for_queue();
    bool is_drained() const { return draining_ && held_.empty() && to_write_.empty(); }
    std::chrono::microseconds until_next(std::chrono::microseconds pause) const;
    void continue_draining();
    void take_results();
    void record_result(HeldJob& held, const JobResult& ending);
    void record_in_breaker(std::size_t lane, const JobResult& ending);
    CompletedJob to_finished(const HeldJob& held, const JobResult& ending);
    void begin(std::size_t lane, Job job, std::chrono::steady_clock::time_point good_until);
    void run_handler(const std::shared_ptr<HeldJob>& held);
    JobResult ending_of(const HeldJob& held);
    void drop_lost(const std::vector<LeaseRenewal>& lost);
    void bring_forward();

    const WorkerOptions options_;
    const std::unique_ptr<JobQueue> queue_;
    const Clock& clock_;
    SecureRng chance_;
    Family<Counter>& ended_;
    Counter& stale_writes_;

    std::atomic<bool> draining_{false};
    std::atomic<std::chrono::steady_clock::time_point> hurry_at_{
        std::chrono::steady_clock::time_point::max()};
    std::mutex mutex_;
    std::vector<Result> results_;  // results from the lanes' threads

    // Used only by the thread that accesses the queue.
    std::map<JobKey, std::shared_ptr<HeldJob>> held_;
    std::vector<CompletedJob> to_write_;
    std::vector<std::size_t> came_back_;  // lanes whose breaker has just closed
    std::chrono::steady_clock::time_point keep_next_{};
    bool more_ = false;  // the last claim was full
    int failures_ = 0;   // in a row

    std::vector<std::unique_ptr<Lane>> lanes_;
    Loop loop_;
};

}  // namespace pawl::jobs
