#include "workflows/operating.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "access/audit.hpp"
#include "base/json.hpp"
#include "payments/sums.hpp"
#include "workflows/call/calls.hpp"
#include "workflows/capture/capture_payment.hpp"
#include "workflows/charge/charge_order.hpp"
#include "workflows/engine/runs.hpp"
#include "workflows/refund/refund_payment.hpp"
#include "workflows/sql.hpp"
#include "workflows/standing.hpp"

namespace pawl::workflows {
namespace {

using payments::Payment;
using payments::State;

struct Taken {
    Run run;
    std::string status;
    std::optional<Payment> payment;  // of charge_order, or of the refund or capture
    std::optional<payments::Refund> refund{};
    std::optional<payments::Capture> capture{};

    bool is_charge() const { return !refund && !capture; }
    const std::string& key() const {
        if (capture) return capture->key;
        return refund ? refund->key : payment->key;
    }
};

const char* name_of(RunAct act) {
    switch (act) {
        case RunAct::resume:
            return "workflow.resume";
        case RunAct::cancel:
            return "workflow.cancel";
        case RunAct::new_attempt:
            return "workflow.new-attempt";
        case RunAct::resolve:
            break;
    }
    return "workflow.resolve";
}

std::optional<Taken> take_over(db::Transaction& transaction, std::int64_t run_id) {
    const auto rows = transaction.run(sql::TakeOverRun{.run_id = run_id});
    if (rows.empty()) return std::nullopt;
    const auto row = rows[0].run();
    Taken taken;
    taken.run.id = row.run_id();
    taken.run.workflow = row.workflow();
    taken.run.key = row.key();
    taken.run.signal_key = row.signal_key().value_or("");
    taken.run.step = row.step();
    taken.run.state = row.state();
    taken.run.correlation_id = CorrelationId(std::string(row.correlation_id()));
    taken.status = rows[0].status();
    if (taken.run.workflow == charge_order_name && !taken.run.signal_key.empty()) {
        taken.payment =
            payments::find_payment_by_key(transaction, taken.run.signal_key, payments::Lock::row);
    }
    if (taken.run.workflow == refund_payment_name) {
        auto locked = payments::lock_refund(transaction, taken.run.remembered("refund"));
        if (locked) taken.payment = std::move(locked->payment);
        if (locked) taken.refund = std::move(locked->refund);
    }
    if (taken.run.workflow == capture_payment_name) {
        auto locked = payments::lock_capture(transaction, taken.run.remembered("capture"));
        if (locked) taken.payment = std::move(locked->payment);
        if (locked) taken.capture = std::move(locked->capture);
    }
    return taken;
}

RunChange redirect(db::Transaction& transaction, const Run& run, const std::string& step,
                   const std::string& status, const std::string& note, Time now) {
    transaction.run(sql::RedirectRun{
        .run_id = run.id, .step = step, .status = status, .note = note, .now = now});
    return {run.id, status, step, ""};
}

// Without the gateway's word: listed until a report or the gateway confirms it.
void note_forced(db::Transaction& transaction, const Taken& taken, const RunInstruction& said,
                 const std::string& outcome, Time now) {
    const auto call = find_call(transaction, taken.key());
    if (!call || !may_be_executed(*call)) return;
    force(transaction, *call, outcome, said.principal, now);
}

// Ends the refund as failed, by an operator's word; its amount is refundable again.
RunChange give_up_refund(db::Transaction& transaction, const Taken& taken, const std::string& why,
                         Time now) {
    payments::Refund after = *taken.refund;
    after.note = why;
    payments::advance(after, payments::RefundState::failed);
    keep(transaction, *taken.refund, after, taken.payment->account, now);
    return redirect(transaction, taken.run, taken.run.step, "done", why, now);
}

// The capture is over because an operator says so; the payment can be captured again.
RunChange give_up_capture(db::Transaction& transaction, const Taken& taken, const std::string& why,
                          Time now) {
    payments::Capture after = *taken.capture;
    after.note = why;
    payments::advance(after, payments::CaptureState::failed);
    keep(transaction, *taken.capture, after, *taken.payment, now);
    return redirect(transaction, taken.run, taken.run.step, "done", why, now);
}

// The attempt is over because an operator says so. A webhook that comes all the same finds it.
RunChange give_up(db::Transaction& transaction, const Taken& taken, State state,
                  const std::string& why, Time now) {
    Payment after = *taken.payment;
    after.note = why;
    after.capturable = 0;  // an authorization that is reported later is voided
    payments::advance(after, state);
    keep(transaction, *taken.payment, after, now);
    return redirect(transaction, taken.run, taken.run.step, "done", why, now);
}

Result<RunChange> cancel(db::Transaction& transaction, const Taken& taken, const std::string& why,
                         Time now) {
    Payment after = *taken.payment;
    after.cancel_requested = true;
    payments::save(transaction, *taken.payment, after, now);
    const auto call = find_call(transaction, taken.payment->key);
    if (!call || !is_known_there(*call)) {
        return give_up(transaction, taken, State::canceled, why, now);
    }
    return redirect(transaction, taken.run, "cancel", "running", why, now);
}

Result<RunChange> start_new_attempt(db::Transaction& transaction, const Taken& taken,
                                    const RunInstruction& said, Time now) {
    // Locked with its payment.
    const auto order = payments::find_order(transaction, taken.payment->order_id);
    note_forced(transaction, taken, said, "canceled", now);
    RunChange change = give_up(transaction, taken, State::canceled, said.reason, now);
    const payments::NewPayment wanted{payments::new_payment_id(), taken.payment->payment_method,
                                      taken.payment->books, taken.run.correlation_id};
    auto allocated = payments::allocate(transaction, *order, wanted, now);
    if (std::holds_alternative<payments::MoreThanDue>(allocated)) {
        return refused("order: nothing is due");
    }
    if (const auto* other = std::get_if<payments::InTheWay>(&allocated)) {
        return refused(fmt::format("payment {} of this order is {}", other->payment.id,
                                   payments::to_text(other->payment.state)));
    }
    const Payment& payment = std::get<Payment>(allocated);
    start_charge(transaction, payment, now);
    change.new_payment = payment.id;
    return change;
}

// The gateway is asked about the reference before anything is settled (the step `confirm`).
RunChange start_confirmation(db::Transaction& transaction, const Taken& taken,
                             const RunInstruction& said, Time now) {
    json::Writer state;
    state.begin_object().member("payment", taken.run.remembered("payment"));
    state.member("refund", taken.run.remembered("refund"));
    state.member("capture", taken.run.remembered("capture"));
    state.member("claimed", said.reference).end_object();
    point_signals(transaction, taken.run, taken.run.signal_key, taken.payment->gateway,
                  state.take());
    return redirect(transaction, taken.run, "confirm", "running", said.reason, now);
}

// Money in another currency than the order's is in the books already: the payment ends with it.
std::optional<RunChange> accept_foreign(db::Transaction& transaction, const Taken& taken,
                                        const RunInstruction& said, Time now) {
    if (!taken.is_charge()) return std::nullopt;
    const auto movements = payments::read_movements(transaction, *taken.payment);
    const auto sums = payments::sum_up(*taken.payment, movements);
    if (sums.own.captured > 0 || sums.foreign.captured <= 0) return std::nullopt;
    Payment after = *taken.payment;
    after.note = said.reason;
    payments::advance(after, State::succeeded);
    bring_to_sums(transaction, *taken.payment, after, now);
    // The rest of an authorization is followed to its end.
    if (after.capturable > 0) {
        return redirect(transaction, taken.run, "look_up", "running", said.reason, now);
    }
    return redirect(transaction, taken.run, taken.run.step, "done", said.reason, now);
}

// As the gateway would report it: of a capture, all that was captured of its payment.
Money claimed_amount(db::Transaction& transaction, const Taken& taken, const RunInstruction& said) {
    Money asked = taken.refund ? taken.refund->amount : taken.payment->amount;
    if (taken.capture) asked.minor = taken.capture->amount;
    asked.minor = said.amount.value_or(asked.minor);
    if (taken.capture) {
        asked.minor +=
            payments::sum_of_succeeded(payments::captures_of(transaction, *taken.payment));
    }
    return asked;
}

RunChange settle_by_force(db::Transaction& transaction, const Taken& taken, PinnedCall call,
                          const RunInstruction& said, Time now) {
    outbound::GatewayResult answer;
    answer.ending = outbound::GatewayOutcome::succeeded;
    answer.reference = said.reference;
    answer.moved = claimed_amount(transaction, taken, said);
    if (taken.capture && !taken.capture->final) {
        const std::int64_t left = taken.payment->capturable - taken.capture->amount;
        answer.capturable = Money{std::max<std::int64_t>(0, left), answer.moved->currency};
    }
    answer.note = "resolved by " + said.principal;
    record(transaction, call, answer, AnswerTo::report, now);
    force(transaction, call, said.outcome, said.principal, now);
    return redirect(transaction, taken.run, "settle", "running", said.reason, now);
}

Result<RunChange> resolve(db::Transaction& transaction, const Taken& taken,
                          const RunInstruction& said, Time now) {
    if (said.outcome == "declined" || said.outcome == "failed") {
        note_forced(transaction, taken, said, said.outcome, now);
        if (taken.refund) return give_up_refund(transaction, taken, said.reason, now);
        if (taken.capture) return give_up_capture(transaction, taken, said.reason, now);
        const State state = said.outcome == "failed" ? State::failed : State::declined;
        return give_up(transaction, taken, state, said.reason, now);
    }
    if (said.outcome != "succeeded") {
        return invalid("outcome: invalid; it is succeeded, declined or failed");
    }
    if (said.force) {
        if (auto accepted = accept_foreign(transaction, taken, said, now)) return *accepted;
    }
    const auto call = find_call(transaction, taken.key());
    if (!call) return refused("nothing was ever sent for this payment");
    if (said.reference.empty()) return invalid("reference is missing: the gateway's own id");
    if (taken.is_charge()) {
        if (auto holder = payments::holder_of(transaction, *taken.payment, said.reference)) {
            return refused(fmt::format("reference {}: conflict; it belongs to payment {}",
                                       said.reference, *holder));
        }
    }
    if (said.force) return settle_by_force(transaction, taken, *call, said, now);
    return start_confirmation(transaction, taken, said, now);
}

// A refusal at `confirm` concerned an operator's report: the run resumes with a lookup. So does a
// finished one of which only an operator has reported that it moved nothing. A call that is
// reported as succeeded has posted its money, which a lookup cannot take back. Nullopt: nothing to
// resume.
std::optional<std::string> step_to_resume(db::Transaction& transaction, const Taken& taken) {
    if (taken.status == "needs_review" || taken.status == "running") {
        return taken.run.step == "confirm" ? "look_up" : taken.run.step;
    }
    const auto call = taken.payment ? find_call(transaction, taken.key()) : std::nullopt;
    const bool moved_nothing = call && call->forced && call->outcome != "succeeded";
    return moved_nothing ? std::optional<std::string>("look_up") : std::nullopt;
}

std::string is_over(const std::string& subject, std::string_view state) {
    return fmt::format(
        "{}: {}, nothing is left to decide; to change what it posted use `pawl transfers correct` "
        "or `reverse`, or refund it",
        subject, state);
}

std::optional<std::string> obstacle_to(db::Transaction& transaction, const Taken& taken,
                                       RunAct act) {
    if (!taken.payment || (!taken.is_charge() && act != RunAct::resolve)) {
        return "this action requires a run with a payment";
    }
    if (taken.refund || taken.capture) {
        const auto state = taken.refund ? taken.refund->state : taken.capture->state;
        if (!payments::is_final(state)) return std::nullopt;
        return is_over(
            taken.refund ? "refund " + taken.refund->id : "capture " + taken.capture->key,
            payments::to_text(state));
    }
    const Payment& payment = *taken.payment;
    // The rest of an authorization can be canceled after a part of it was captured.
    const bool over =
        act == RunAct::cancel ? payments::is_closed(payment) : payments::is_final(payment.state);
    if (over) return is_over("payment " + payment.id, payments::to_text(payment.state));
    const auto capture = payments::capture_under_way(transaction, payment);
    if (!capture) return std::nullopt;
    return fmt::format("capture {}: {}; wait for its end, or resolve its run first", capture->key,
                       payments::to_text(capture->state));
}

Result<RunChange> act(db::Transaction& transaction, const Taken& taken,
                      const RunInstruction& instruction, Time now) {
    if (instruction.act == RunAct::resume) {
        const auto step = step_to_resume(transaction, taken);
        if (!step) return refused(is_over(fmt::format("run {}", taken.run.id), taken.status));
        return redirect(transaction, taken.run, *step, "running", instruction.reason, now);
    }
    if (auto why = obstacle_to(transaction, taken, instruction.act)) return refused(*why);
    if (instruction.act == RunAct::cancel) {
        return cancel(transaction, taken, instruction.reason, now);
    }
    if (instruction.act == RunAct::resolve) return resolve(transaction, taken, instruction, now);
    return start_new_attempt(transaction, taken, instruction, now);
}

std::string subject_of(const RunInstruction& instruction) {
    return "workflow/" + std::to_string(instruction.run_id);
}

void audit(db::Transaction& transaction, const RunInstruction& instruction,
           const std::string& act_id, const Taken& taken, const RunChange& change) {
    json::Writer details;
    details.begin_object().member("key", taken.run.key).member("status_before", taken.status);
    details.member("step_before", taken.run.step).member("step", change.step);
    details.member("outcome", instruction.outcome).member("reference", instruction.reference);
    details.member("amount", instruction.amount).member("new_payment", change.new_payment);
    details.member("status", change.status).member("force", instruction.force);
    details.member("act_id", act_id).end_object();
    access::record(transaction, {instruction.principal, name_of(instruction.act),
                                 subject_of(instruction), instruction.reason, details.take()});
}

// As it was answered before the answer to COMMIT was lost.
std::optional<RunChange> done_before(db::Transaction& transaction,
                                     const RunInstruction& instruction, const std::string& act_id) {
    const auto details = access::find_act(transaction, subject_of(instruction), act_id);
    if (!details) return std::nullopt;
    return RunChange{instruction.run_id, access::detail(*details, "status"),
                     access::detail(*details, "step"), access::detail(*details, "new_payment")};
}

}  // namespace

Error unknown_run(std::int64_t run_id) {
    return refused("run " + std::to_string(run_id) +
                   ": not found; `pawl workflows list` shows the numbers");
}

Result<RunChange> apply_operator_action(db::Session& session, const RunInstruction& instruction,
                                        Time now) {
    Result<RunChange> result = unknown_run(instruction.run_id);
    // A refusal changes nothing: its transaction is not committed.
    struct Refusal {};
    const std::string act_id = access::new_act_id();
    try {
        db::in_transaction(session, [&](db::Transaction& transaction) {
            const auto taken = take_over(transaction, instruction.run_id);
            if (!taken) throw Refusal{};
            if (auto done = done_before(transaction, instruction, act_id)) {
                result = std::move(*done);
                return;
            }
            result = act(transaction, *taken, instruction, now);
            if (!result) throw Refusal{};
            audit(transaction, instruction, act_id, *taken, *result);
        });
    } catch (const Refusal&) {
    }
    return result;
}

}  // namespace pawl::workflows
