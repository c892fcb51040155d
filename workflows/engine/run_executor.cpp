#include "workflows/engine/run_executor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "base/fault.hpp"
#include "base/log.hpp"
#include "workflows/engine/backoff.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Limit of the wait for a session, which takes milliseconds: after it the database counts as
// unavailable, and the run is retried later.
constexpr milliseconds session_within{5000};

// Another worker has claimed the run: this one writes and sends nothing more.
struct StaleLease : std::runtime_error {
    StaleLease() : std::runtime_error("the lease belongs to another worker") {}
};

struct Heard {
    std::vector<Signal> signals;
    db::Numbers ids;
};

Heard listen(db::Transaction& transaction, const Run& run) {
    Heard heard;
    if (run.signal_key.empty()) return heard;
    for (const auto row : transaction.run(sql::NewSignals{.signal_key = run.signal_key})) {
        Signal signal{std::string(row.type()),
                      std::string(row.reference().value_or("")),
                      {},
                      ProviderName(std::string(row.provider())),
                      EventId(std::string(row.event_id()))};
        const auto amount = row.amount();
        const auto currency = Currency::parse(row.currency().value_or(""));
        if (amount && currency) signal.amount = Money{*amount, *currency};
        heard.ids.add(row.signal_id());
        heard.signals.push_back(std::move(signal));
    }
    return heard;
}

struct Point {
    std::string step, status;
    std::optional<std::string> note;
    std::optional<Time> wake_at;
};

Point point_of(const Run& run, const Next& next, Time now) {
    struct Reader {
        const Run& run;
        Time now;
        Point operator()(const Go& go) const { return {go.step, "running", {}, {}}; }
        Point operator()(const Wait& wait) const {
            return {wait.step, "running", wait.why, now + wait.after};
        }
        Point operator()(const Finish& finish) const { return {run.step, "done", finish.note, {}}; }
        Point operator()(const Review& review) const {
            return {run.step, "needs_review", review.why, {}};
        }
    };
    return std::visit(Reader{run, now}, next);
}

}  // namespace

RunExecutor::RunExecutor(const std::vector<Workflow>& workflows, std::int64_t attempts_max,
                         db::Pool& sessions, Leases& leases, const Clock& clock,
                         Counter& stale_writes)
    : workflows_(workflows),
      attempts_max_(attempts_max),
      sessions_(sessions),
      leases_(leases),
      clock_(clock),
      stale_writes_(stale_writes) {}

const Workflow* RunExecutor::workflow_of(const Run& run) const {
    const auto found = std::find_if(workflows_.begin(), workflows_.end(),
                                    [&](const Workflow& one) { return one.name == run.workflow; });
    return found == workflows_.end() ? nullptr : &*found;
}

void RunExecutor::execute(Run run) {
    try {
        run_steps(run);
    } catch (const StaleLease&) {
        stale_writes_.add();
        log::warn("a run was claimed by another worker; nothing was written",
                  {{"workflow", run.workflow},
                   {"key", run.key},
                   {"step", run.step},
                   {"correlation_id", run.correlation_id.str()}});
    } catch (const db::Failure& failure) {
        // An unavailable database is not a fault of the run: its lease expires by itself.
        if (failure.kind != db::FailureKind::unreachable) put_off(run, failure.what());
    } catch (const std::exception& error) {
        put_off(run, error.what());
    }
    leases_.untrack(run.id);
}

void RunExecutor::run_steps(Run& run) {
    if (stopping_) return give_back(run);  // claimed as the stop began
    if (run.attempts > attempts_max_) return give_up(run);
    for (;;) {
        const Workflow* workflow = workflow_of(run);
        const Step* step = workflow == nullptr ? nullptr : workflow->find(run.step);
        if (step == nullptr) throw std::runtime_error("there is no step " + run.step);
        const auto next = do_step(run, *step);
        const Go* go = next ? std::get_if<Go>(&*next) : nullptr;
        if (go == nullptr) return;
        run.step = go->step;
        run.attempts = 1;
        if (stopping_) return give_back(run);
    }
}

std::optional<Next> RunExecutor::do_step(const Run& run, const Step& step) {
    if (const auto* foreign = std::get_if<ForeignStep>(&step.does)) return call_out(run, *foreign);
    const auto& local = std::get<LocalStep>(step.does);
    return commit(run, [&](db::Transaction& transaction, const StepContext& context) {
        return std::optional(local(transaction, context));
    });
}

// Commit the intent to call; call, with no transaction open; commit what came of it.
std::optional<Next> RunExecutor::call_out(const Run& run, const ForeignStep& step) {
    std::optional<ForeignCall> call;
    const auto before = commit(run, [&](db::Transaction& transaction, const StepContext& context) {
        auto decided = step.before(transaction, context);
        call.reset();
        if (auto* next = std::get_if<Next>(&decided)) return std::optional(std::move(*next));
        call = std::move(std::get<ForeignCall>(decided));
        return std::optional<Next>();
    });
    if (!call) return before;
    PAWL_FAULT_POINT(after_pin_before_call);
    if (!leases_.is_valid(run.id)) throw StaleLease();
    call->correlation_id = run.correlation_id;
    call->unwanted = &hurried_;
    log::debug("calling a payment API", {{"workflow", run.workflow},
                                         {"key", run.key},
                                         {"step", run.step},
                                         {"gateway", call->gateway},
                                         {"correlation_id", run.correlation_id.str()}});
    const outbound::HttpResult outcome = step.call(*call);
    PAWL_FAULT_POINT(after_call_before_record);
    return commit(run, [&](db::Transaction& transaction, const StepContext& context) {
        return std::optional(step.after(transaction, context, *call, outcome));
    });
}

std::optional<Next> RunExecutor::commit(const Run& run, const Work& work) {
    std::optional<Next> next;
    const auto session = sessions_.take(session_within);
    const auto asked_at = clock_.steady();
    db::in_transaction(*session, [&](db::Transaction& transaction) {
        next = in_this(transaction, run, work);
        PAWL_FAULT_POINT(before_recovery_point_commit);
    });
    PAWL_FAULT_POINT(after_recovery_point_commit);
    leases_.track(run.id, run.fencing_token, asked_at);
    return next;
}

std::optional<Next> RunExecutor::in_this(db::Transaction& transaction, const Run& run,
                                         const Work& work) {
    const auto length = leases_.length().count();
    const auto held = transaction.run(
        sql::HoldRun{.run_id = run.id, .lease = run.fencing_token, .lease_seconds = length});
    if (held.empty()) throw StaleLease();
    // The response to this worker's earlier COMMIT was lost, and the commit succeeded.
    if (held[0].step() != run.step) return Go{std::string(held[0].step())};
    Run current = run;  // what earlier steps of this claim have changed about it
    current.state = held[0].state();
    current.signal_key = held[0].signal_key().value_or("");
    Heard heard = listen(transaction, current);
    const StepContext context{current, heard.signals, clock_.now()};
    auto next = work(transaction, context);
    if (!next) return next;
    write(transaction, context, *next);
    if (!heard.ids.empty()) {
        transaction.run(sql::TakeSignals{.signal_id = std::move(heard.ids), .now = context.now});
    }
    return next;
}

void RunExecutor::write(db::Transaction& transaction, const StepContext& context,
                        const Next& next) {
    const Run& run = context.run;
    if (const auto* review = std::get_if<Review>(&next)) {
        const Workflow* workflow = workflow_of(run);
        if (workflow != nullptr && workflow->on_review) {
            workflow->on_review(transaction, context, review->why);
        }
        log::warn("a run needed review", {{"workflow", run.workflow},
                                          {"key", run.key},
                                          {"reason", review->why},
                                          {"correlation_id", run.correlation_id.str()}});
    }
    const Point to = point_of(run, next, context.now);
    const auto moved = transaction.run(sql::MoveRun{.run_id = run.id,
                                                    .lease = run.fencing_token,
                                                    .step = to.step,
                                                    .status = to.status,
                                                    .note = to.note,
                                                    .wake_at = to.wake_at,
                                                    .now = context.now});
    if (moved.affected() != 1) throw StaleLease();
    if (to.step == run.step && to.status == "running") return;
    const std::string went_to = to.status == "running" ? to.step : to.status;
    transaction.run(sql::NoteStep{.run_id = run.id,
                                  .lease = run.fencing_token,
                                  .step = run.step,
                                  .went_to = went_to,
                                  .note = to.note,
                                  .now = context.now});
}

// Claimed too often without getting anywhere: perhaps it is what kills the process.
void RunExecutor::give_up(const Run& run) {
    const std::string why =
        fmt::format("step {} was begun {} times and never ended", run.step, run.attempts - 1);
    commit(run,
           [&](db::Transaction&, const StepContext&) { return std::optional<Next>(Review{why}); });
}

void RunExecutor::put_off(const Run& run, const std::string& why) {
    log::warn("a step failed and is tried again later",
              {{"workflow", run.workflow},
               {"key", run.key},
               {"step", run.step},
               {"error", why},
               {"correlation_id", run.correlation_id.str()}});
    const Time now = clock_.now();
    const Duration after = full_jitter(run.attempts, seconds(1), seconds(60));
    try {
        const auto session = sessions_.take(session_within);
        db::Statement::run(*session, sql::PutOffRun{.run_id = run.id,
                                                    .lease = run.fencing_token,
                                                    .wake_at = now + after,
                                                    .note = why,
                                                    .now = now});
    } catch (const db::Failure& failure) {
        log::debug("a run could not be rescheduled", {{"error", failure.what()}});
    }
}

void RunExecutor::give_back(const Run& run) {
    try {
        const auto session = sessions_.take(session_within);
        db::Statement::run(*session,
                           sql::GiveBackRun{.run_id = run.id, .lease = run.fencing_token});
    } catch (const db::Failure& failure) {
        log::debug("a run could not be released", {{"error", failure.what()}});
    }
}

}  // namespace pawl::workflows
