#include "workflows/engine/engine.hpp"

#include <fmt/core.h>

#include "base/fault.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {
namespace {

// Pause after a failure, so that an unavailable database causes no busy loop.
constexpr std::chrono::seconds pause_after_failure(1);
constexpr std::chrono::seconds measure_every(1);
constexpr std::int64_t signals_at_once = 500;

Run to_run(const sql::RunRow& row) {
    Run run;
    run.id = row.run_id();
    run.workflow = row.workflow();
    run.key = row.key();
    run.signal_key = row.signal_key().value_or("");
    run.step = row.step();
    run.state = row.state();
    run.fencing_token = row.lease();
    run.attempts = row.attempts();
    run.correlation_id = CorrelationId(std::string(row.correlation_id()));
    run.created_at = row.created_at();
    return run;
}

}  // namespace

Engine::Engine(EngineOptions options, std::vector<Workflow> workflows, db::Pool& sessions,
               const Clock& clock, Metrics& metrics)
    : options_(std::move(options)),
      workflows_(std::move(workflows)),
      sessions_(sessions),
      clock_(clock),
      unfinished_oldest_(metrics.gauge("pawl_unfinished_oldest_seconds",
                                       "Age of the oldest unfinished row.", {"kind"})),
      leases_(options_.lease, sessions, clock),
      executor_(workflows_, options_.attempts_max, sessions, leases_, clock,
                metrics
                    .counter("pawl_stale_writes_rejected_total",
                             "Writes refused because another worker had taken the lease.")
                    .alone()),
      loop_(
          "engine", [this] { return look(); }, pause_after_failure) {
    for (const auto& [name, limits] : options_.lanes) {
        lanes_[name].limit = limits.at_once;
        lanes_[name].pace = Pace(limits.per_second);
    }
}

Engine::~Engine() {
    stop();
}

// A change of a workflow's steps lists each old step, and its successor, under `renamed`.
Result<void> Engine::check(db::Session& session) const {
    for (const auto row : db::Statement::run(session, sql::StepsInFlight{})) {
        Run run;
        run.workflow = row.workflow();
        const Workflow* workflow = executor_.workflow_of(run);
        if (workflow != nullptr && workflow->find(row.step()) != nullptr) continue;
        return refused(fmt::format(
            "workflow {}: runs are in flight at step {}, which this version does not have; "
            "run the version that started them until they are finished, or name the step that "
            "replaces it in the workflow's list of renamed steps",
            row.workflow(), row.step()));
    }
    return {};
}

void Engine::start() {
    for (auto& [name, lane] : lanes_) {
        const auto limit = static_cast<std::size_t>(lane.limit);
        lane.executor = std::make_unique<Executor>("run " + name, limit, limit);
    }
    leases_.start();
    loop_.start();
}

void Engine::drain() {
    executor_.drain();
    loop_.drain();
}

void Engine::stop() {
    drain();
    loop_.join();
    for (auto& [name, lane] : lanes_) {
        if (lane.executor) lane.executor->stop();
    }
    leases_.stop();
}

Loop::Pause Engine::look() {
    const auto session = sessions_.take();
    wake_signalled(*session);
    measure(*session);
    for (auto& [name, lane] : lanes_) dispatch(*session, name, lane);
    return options_.interval;
}

// A thread that becomes free wakes this loop: no run is claimed that would wait for a thread.
void Engine::dispatch(db::Session& session, const std::string& name, Lane& lane) {
    const int free = lane.pace.allowed(lane.limit - lane.busy, clock_.steady());
    if (free <= 0 || loop_.draining()) return;
    const std::vector<Run> claimed = claim(session, name, free);
    lane.pace.used(static_cast<int>(claimed.size()));
    for (const Run& run : claimed) {
        ++lane.busy;
        const bool taken = lane.executor->post([this, &lane, run] {
            executor_.execute(run);
            --lane.busy;
            wake();
            if (options_.on_commit) options_.on_commit();
        });
        if (taken) continue;
        --lane.busy;
        executor_.give_back(run);
    }
}

void Engine::wake_signalled(db::Session& session) {
    db::Texts names, steps;
    for (const Workflow& workflow : workflows_) {
        if (workflow.on_signal.empty()) continue;
        names.add(workflow.name);
        steps.add(workflow.on_signal);
    }
    const auto woken =
        db::Statement::run(session, sql::WakeSignalled{.now = clock_.now(),
                                                       .workflow = std::move(names),
                                                       .step = std::move(steps),
                                                       .signal_key = signalled_after_,
                                                       .limit_rows = signals_at_once});
    const bool more = woken.only().keys() == signals_at_once;
    signalled_after_ = more ? woken.only().last_key().value() : "";
}

void Engine::measure(db::Session& session) {
    const auto now = clock_.steady();
    if (now < measure_next_) return;
    measure_next_ = now + measure_every;
    for (const Workflow& workflow : workflows_) unfinished_oldest_.with({workflow.name}).set(0);
    const auto rows = db::Statement::run(session, sql::OldestRuns{.now = clock_.now()});
    for (const auto row : rows) {
        const auto seconds = static_cast<double>(row.seconds());
        unfinished_oldest_.with({std::string(row.workflow())}).set(seconds);
    }
}

std::vector<Run> Engine::claim(db::Session& session, const std::string& lane, std::int64_t limit) {
    std::vector<Run> claimed;
    const auto asked_at = clock_.steady();
    const sql::ClaimRuns statement{.lane = lane,
                                   .now = clock_.now(),
                                   .runs_max = limit,
                                   .lease_seconds = options_.lease.count()};
    for (const auto row : db::Statement::run(session, statement)) {
        claimed.push_back(to_run(row));
        leases_.track(claimed.back().id, claimed.back().fencing_token, asked_at);
    }
    PAWL_FAULT_POINT(after_claim_before_step);
    return claimed;
}

std::size_t Engine::run_once() {
    constexpr std::int64_t claim_max = 64;
    std::vector<Run> claimed;
    {
        const auto session = sessions_.take();
        wake_signalled(*session);
        for (const auto& [name, lane] : lanes_) {
            for (Run& run : claim(*session, name, claim_max)) claimed.push_back(std::move(run));
        }
    }
    for (const Run& run : claimed) executor_.execute(run);
    return claimed.size();
}

}  // namespace pawl::workflows
