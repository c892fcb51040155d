#include "jobs/worker.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/fault.hpp"
#include "base/log.hpp"
#include "base/storable.hpp"
#include "db/failure.hpp"

namespace pawl::jobs {
namespace {

constexpr std::chrono::milliseconds pause_after_failure(500);
constexpr std::chrono::milliseconds pause_while_draining(100);
// While draining, an unavailable database is not waited for: the leases expire by themselves.
constexpr int failures_while_draining_max = 2;

}  // namespace

Worker::Worker(WorkerOptions options, std::vector<LaneSpec> lanes, std::unique_ptr<JobQueue> queue,
               const Clock& clock, Metrics& metrics)
    : options_(options),
      queue_(std::move(queue)),
      clock_(clock),
      ended_(metrics.counter("pawl_jobs_ended_total", "Attempts at jobs, by result.",
                             {"kind", "target", "result"})),
      stale_writes_(metrics
                        .counter("pawl_stale_writes_rejected_total",
                                 "Writes refused because another worker had taken the lease.")
                        .alone()),
      loop_("worker", [this] { return round(); }) {
    for (LaneSpec& spec : lanes) lanes_.push_back(std::make_unique<Lane>(std::move(spec)));
}

Worker::~Worker() {
    stop();
}

void Worker::drain(std::chrono::steady_clock::time_point hurry_at) {
    hurry_at_ = hurry_at;
    draining_ = true;
    loop_.poke();
}

void Worker::stop() {
    draining_ = true;
    loop_.poke();
    loop_.wait();
    for (const auto& lane : lanes_) lane->stop();
}

Loop::Pause Worker::round() {
    if (is_drained()) return abandon_running();
    Loop::Pause pause = jittered(options_.poll, chance_);
    try {
        pause = sync_with_queue();
    } catch (const db::Failure& failure) {
        log::debug("job queue unreachable", {{"error", failure.what()}});
        if (draining_ && ++failures_ == failures_while_draining_max) return abandon_running();
        pause = jittered(draining_ ? pause_while_draining : pause_after_failure, chance_);
        std::this_thread::sleep_for(pause / 2);  // results must not cause a busy loop
    }
    return is_drained() ? abandon_running() : until_next(pause);
}

Loop::Pause Worker::sync_with_queue() {
    if (draining_) continue_draining();
    if (has_work_for_queue()) {
        run_once();
        failures_ = 0;
        if (more_ && has_work_for_queue()) return Loop::Pause::zero();
    }
    return jittered(options_.poll, chance_);
}

// Interrupts running jobs: their results will not be written any more.
Loop::Pause Worker::abandon_running() {
    for (const auto& lane : lanes_) lane->hurry();
    loop_.drain();
    return Loop::until_poked;
}

// Leases are renewed and draining lanes interrupted, also between two polls.
std::chrono::microseconds Worker::until_next(std::chrono::microseconds pause) const {
    if (held_.empty()) return pause;
    const auto next = draining_ ? std::min(keep_next_, hurry_at_.load()) : keep_next_;
    const auto left = std::chrono::ceil<std::chrono::microseconds>(next - clock_.steady());
    return std::clamp(left, std::chrono::microseconds::zero(), pause);
}

void Worker::continue_draining() {
    std::vector<std::shared_ptr<HeldJob>> not_begun;
    for (const auto& [key, held] : held_) {
        if (!held->taken.exchange(true)) not_begun.push_back(held);
    }
    for (const auto& held : not_begun) record_result(*held, Returned{});
    if (clock_.steady() < hurry_at_.load()) return;
    hurry_at_ = std::chrono::steady_clock::time_point::max();
    for (const auto& lane : lanes_) lane->hurry();
}

bool Worker::has_work_for_queue() {
    const Time now = clock_.now();
    const bool claims = !draining_ && std::any_of(lanes_.begin(), lanes_.end(), [&](auto& lane) {
        return lane->want(now).room > 0;
    });
    if (claims || !to_write_.empty() || clock_.steady() >= keep_next_) return true;
    const std::lock_guard lock(mutex_);
    return !results_.empty();
}

std::size_t Worker::run_once() {
    take_results();
    const auto began = clock_.steady();
    const Time now = clock_.now();
    std::vector<LeaseRenewal> kept;
    if (began >= keep_next_) {
        for (const auto& [key, held] : held_) kept.push_back({key, held->job.fencing_token});
    }
    std::vector<ClaimRequest> wants;
    for (const auto& lane : lanes_) {
        wants.push_back(draining_ ? ClaimRequest{lane->spec().kind, lane->spec().target}
                                  : lane->want(now));
    }
    SyncResult answer = queue_->exchange(to_write_, kept, wants, now);
    PAWL_FAULT_POINT(worker_after_exchange);
    to_write_.clear();
    stale_writes_.add(answer.stale);
    const auto good_until = began + options_.lease * 5 / 6;
    if (began >= keep_next_) {
        for (const auto& [key, held] : held_) held->good_until = good_until;
        drop_lost(answer.lost);
        keep_next_ = began + options_.lease / 3;
    }
    std::size_t claimed = 0;
    more_ = false;
    for (std::size_t lane = 0; lane < wants.size(); ++lane) {
        claimed += answer.claimed[lane].size();
        more_ = more_ || (wants[lane].room > 0 && answer.claimed[lane].size() >= wants[lane].room);
        for (Job& job : answer.claimed[lane]) begin(lane, std::move(job), good_until);
    }
    bring_forward();
    return claimed;
}

void Worker::begin(std::size_t lane, Job job, std::chrono::steady_clock::time_point good_until) {
    auto held = std::make_shared<HeldJob>();
    held->suspect = job.crashes > 0;
    held->job = std::move(job);
    held->lane = lane;
    held->good_until = good_until;
    lanes_[lane]->holds(*held);
    held_[held->job.key] = held;
    const Job& its = held->job;
    if (its.crashes >= options_.crashes_max ||
        its.attempt > lanes_[lane]->spec().retry.attempts_max) {
        const bool poison = its.crashes >= options_.crashes_max;
        record_result(
            *held, DeadLetter{poison ? fmt::format("its worker crashed {} times while running it",
                                                   its.crashes)
                                     : std::string("its attempts are used up")});
        return;
    }
    if (!lanes_[lane]->post([this, held] { run_handler(held); })) record_result(*held, Returned{});
}

// On a thread of the lane.
void Worker::run_handler(const std::shared_ptr<HeldJob>& held) {
    if (held->taken.exchange(true)) return;
    JobResult ending = ending_of(*held);
    {
        const std::lock_guard lock(mutex_);
        results_.push_back({held, std::move(ending)});
    }
    loop_.poke();
}

JobResult Worker::ending_of(const HeldJob& held) {
    PAWL_FAULT_POINT(worker_before_handler);
    if (draining_) return Returned{};
    // Suspended for longer than the lease: it may belong to another worker, and is not begun.
    if (clock_.steady() >= held.good_until.load()) return Returned{};
    try {
        return lanes_[held.lane]->spec().handler(held.job);
    } catch (const std::exception& thrown) {
        return Retry{thrown.what(), std::nullopt};
    }
}

void Worker::take_results() {
    std::vector<Result> results;
    {
        const std::lock_guard lock(mutex_);
        results.swap(results_);
    }
    for (const Result& result : results) record_result(*result.held, result.ending);
}

// Drops jobs that another worker has claimed. Running handlers cannot be stopped, but their writes
// will be refused; unstarted jobs will not start.
void Worker::drop_lost(const std::vector<LeaseRenewal>& lost) {
    for (const LeaseRenewal& one : lost) {
        const auto found = held_.find(one.key);
        if (found != held_.end())
            found->second->good_until = std::chrono::steady_clock::time_point{};
    }
}

void Worker::bring_forward() {
    for (const std::size_t lane : std::exchange(came_back_, {})) {
        const LaneSpec& spec = lanes_[lane]->spec();
        queue_->bring_forward(spec.kind, spec.target, clock_.now());
    }
}

namespace {

constexpr std::size_t error_bytes_max = 500;

std::string error_text(const std::string& error) {
    return error.empty() ? "no reason was given" : storable(error, error_bytes_max);
}

// The value of the label `result`.
const char* name_of(const JobResult& result) {
    if (std::holds_alternative<Done>(result)) return "done";
    if (std::holds_alternative<Retry>(result)) return "retry";
    return std::holds_alternative<DeadLetter>(result) ? "dead" : "released";
}

log::Field which(const Job& job) {
    return {"job", to_text(job.key)};
}

}  // namespace

void Worker::record_result(HeldJob& held, const JobResult& ending) {
    Lane& lane = *lanes_[held.lane];
    lane.release(held);
    const auto found = held_.find(held.job.key);
    if (found != held_.end() && found->second.get() == &held) held_.erase(found);

    const LaneSpec& spec = lane.spec();
    ended_.with({spec.kind, spec.target, name_of(ending)}).add();
    record_in_breaker(held.lane, ending);
    to_write_.push_back(to_finished(held, ending));
}

// A refusal of one job counts as a success of its target: the target has answered.
void Worker::record_in_breaker(std::size_t index, const JobResult& ending) {
    Lane& lane = *lanes_[index];
    const auto* again = std::get_if<Retry>(&ending);
    if (again != nullptr && again->counts_against_target) {
        lane.breaker().failed(clock_.now(), chance_);
        if (again->wait) lane.breaker().pause_until(clock_.now() + *again->wait);
        return;
    }
    if (again == nullptr && !std::holds_alternative<Done>(ending)) return;
    if (!lane.breaker().succeeded()) return;
    log::info("circuit breaker closed",
              {{"kind", lane.spec().kind}, {"target", lane.spec().target}});
    came_back_.push_back(index);
}

CompletedJob Worker::to_finished(const HeldJob& held, const JobResult& ending) {
    const Job& job = held.job;
    CompletedJob finished{job.key, job.fencing_token, "ready", std::nullopt, std::nullopt, false};
    if (std::holds_alternative<Done>(ending)) {
        finished.state = "done";
        log::debug("job done",
                   {which(job), {"kind", job.kind}, {"correlation_id", job.correlation_id.str()}});
    } else if (std::holds_alternative<Returned>(ending)) {
        finished.given_back = true;
    } else if (const auto* dead_letter = std::get_if<DeadLetter>(&ending)) {
        finished.state = "dead";
        finished.error = error_text(dead_letter->error);
    } else {
        const auto& again = std::get<Retry>(ending);
        const RetryPolicy& policy = lanes_[held.lane]->spec().retry;
        const auto wait = wait_after(policy, job.attempt, again.wait, chance_);
        finished.error = error_text(again.error);
        finished.state = wait ? "ready" : "dead";
        if (wait) finished.run_at = clock_.now() + *wait;
    }
    if (!finished.error) return finished;
    const auto level = finished.state == "dead" ? log::error : log::info;
    level(finished.state == "dead" ? "job dead; retry or discard it" : "job failed",
          {which(job),
           {"kind", job.kind},
           {"correlation_id", job.correlation_id.str()},
           {"attempt", job.attempt},
           {"error", *finished.error}});
    return finished;
}

}  // namespace pawl::jobs
