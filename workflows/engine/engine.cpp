#include "workflows/engine/engine.hpp"

#include <fmt/core.h>

#include "base/fault.hpp"
#include "base/log.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {
namespace {

// After a failure: long enough not to spin on a database that is away.
constexpr std::chrono::seconds pause_after_failure(1);
constexpr std::chrono::seconds measure_every(1);
constexpr std::int64_t signals_at_once = 500;

Run to_run(const db::Row& row) {
    Run run;
    run.id = row.number(0);
    run.workflow = row.str(1);
    run.key = row.str(2);
    run.signal_key = row.maybe_text(3).value_or("");
    run.step = row.str(4);
    run.state = row.str(5);
    run.fencing_token = row.number(6);
    run.attempts = row.number(7);
    run.correlation_id = CorrelationId(row.str(8));
    run.created_at = row.time(9);
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
      without_gateway_(metrics
                           .gauge("pawl_runs_without_gateway",
                                  "Unfinished runs whose gateway is not configured.")
                           .alone()),
      leases_(options_.lease, sessions, clock),
      executor_(workflows_, options_.attempts_max, sessions, leases_, clock,
                metrics
                    .counter("pawl_stale_writes_rejected_total",
                             "Writes by workers whose lease somebody else had taken.")
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

// Whoever changes a workflow's steps says under `renamed` where runs go on that stand at old ones.
Result<void> Engine::check(db::Session& session) const {
    for (const db::Row row : db::Statement::run(session, sql::steps_in_flight)) {
        Run run;
        run.workflow = row.str(0);
        const Workflow* workflow = executor_.workflow_of(run);
        if (workflow != nullptr && workflow->find(row.text(1)) != nullptr) continue;
        return refused(fmt::format(
            "runs of workflow {} are in flight at step {}, which this version does not have: "
            "run the version that started them until they are finished, or name the step that "
            "they go on at in the workflow's list of renamed steps",
            row.text(0), row.text(1)));
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

// Whoever comes free wakes us: nothing is claimed that would have to wait for a thread.
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
    std::vector<std::string> names, steps;
    for (const Workflow& workflow : workflows_) {
        if (workflow.on_signal.empty()) continue;
        names.push_back(workflow.name);
        steps.push_back(workflow.on_signal);
    }
    db::Params params;
    params.time(clock_.now()).texts(names).texts(steps).text(signalled_after_);
    params.number(signals_at_once);
    const auto looked = db::Statement::run(session, sql::wake_signalled, params);
    const bool more = looked.only().number(1) == signals_at_once;
    signalled_after_ = more ? looked.only().str(0) : "";
}

void Engine::measure(db::Session& session) {
    const auto now = clock_.steady();
    if (now < measure_next_) return;
    measure_next_ = now + measure_every;
    for (const Workflow& workflow : workflows_) unfinished_oldest_.with({workflow.name}).set(0);
    const auto params = db::Params().time(clock_.now());
    for (const db::Row row : db::Statement::run(session, sql::oldest_runs, params)) {
        unfinished_oldest_.with({row.str(0)}).set(static_cast<double>(row.number(1)));
    }
    measure_lanes(session);
}

// A gateway whose file is missing or disabled: nothing works on its runs, and no other lane may.
void Engine::measure_lanes(db::Session& session) {
    std::vector<std::string> served;
    for (const auto& [name, lane] : lanes_) served.push_back(name);
    std::int64_t runs = 0;
    std::string names;
    const auto params = db::Params().texts(served);
    for (const db::Row row : db::Statement::run(session, sql::runs_without_lane, params)) {
        runs += row.number(1);
        names += (names.empty() ? "" : ", ") + row.str(0);
    }
    without_gateway_.set(static_cast<double>(runs));
    if (runs > 0 && runs != runs_without_gateway_) {
        log::error("runs of a gateway that is not configured",
                   {{"runs", runs}, {"gateways", names}});
    }
    runs_without_gateway_ = runs;
}

std::vector<Run> Engine::claim(db::Session& session, const std::string& lane, std::int64_t limit) {
    std::vector<Run> claimed;
    const auto asked_at = clock_.steady();
    const auto params =
        db::Params().text(lane).time(clock_.now()).number(limit).number(options_.lease.count());
    for (const db::Row row : db::Statement::run(session, sql::claim_runs, params)) {
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
