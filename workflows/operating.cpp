#include "workflows/operating.hpp"

#include <fmt/core.h>

#include "access/audit.hpp"
#include "base/json.hpp"
#include "workflows/announcements.hpp"
#include "workflows/call/calls.hpp"
#include "workflows/charge/charge_order.hpp"
#include "workflows/refund/refund_payment.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {
namespace {

using payments::Payment;
using payments::State;

struct Taken {
    Run run;
    std::string status;
    std::optional<Payment> payment;  // of charge_order
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
    const db::Rows rows = transaction.run(sql::take_over_run, db::Params().number(run_id));
    if (rows.empty()) return std::nullopt;
    const db::Row row = rows[0];
    Taken taken;
    taken.run.id = row.number(0);
    taken.run.workflow = row.str(1);
    taken.run.key = row.str(2);
    taken.run.signal_key = row.maybe_text(3).value_or("");
    taken.run.step = row.str(4);
    taken.run.state = row.str(5);
    taken.run.correlation_id = CorrelationId(row.str(8));
    taken.status = row.str(10);
    if (taken.run.workflow == charge_order_name && !taken.run.signal_key.empty()) {
        taken.payment =
            payments::find_payment_by_key(transaction, taken.run.signal_key, payments::Lock::row);
    }
    return taken;
}

RunChange redirect(db::Transaction& transaction, const Run& run, const std::string& step,
                   const std::string& status, const std::string& note, Time now) {
    transaction.run(sql::redirect_run,
                    db::Params().number(run.id).text(step).text(status).text(note).time(now));
    return {run.id, status, step, ""};
}

// The attempt is over because an operator says so. A webhook that comes all the same finds it.
RunChange give_up(db::Transaction& transaction, const Taken& taken, State state,
                  const std::string& why, Time now) {
    Payment after = *taken.payment;
    after.note = why;
    payments::advance(after, state);
    payments::save(transaction, *taken.payment, after, now);
    announce(transaction, after, now);
    return redirect(transaction, taken.run, taken.run.step, "done", why, now);
}

Result<RunChange> cancel(db::Transaction& transaction, const Taken& taken, const std::string& why,
                         Time now) {
    Payment after = *taken.payment;
    after.cancel_requested = true;
    payments::save(transaction, *taken.payment, after, now);
    const auto call = find_call(transaction, taken.payment->key);
    if (!call || call->sends == 0) {
        return give_up(transaction, taken, State::canceled, why, now);
    }
    return redirect(transaction, taken.run, "cancel", "running", why, now);
}

Result<RunChange> begin_anew(db::Transaction& transaction, const Taken& taken,
                             const std::string& why, Time now) {
    // Locked with its payment.
    const auto order = payments::find_order(transaction, taken.payment->order_id);
    RunChange change = give_up(transaction, taken, State::canceled, why, now);
    const payments::NewPayment wanted{payments::new_payment_id(), taken.payment->payment_method,
                                      taken.payment->books, taken.run.correlation_id};
    auto allocated = payments::allocate(transaction, *order, wanted, now);
    if (const auto* other = std::get_if<payments::InTheWay>(&allocated)) {
        return refused(fmt::format("payment {} of this order is {}", other->payment.id,
                                   payments::to_text(other->payment.state)));
    }
    const Payment& payment = std::get<Payment>(allocated);
    start_charge(transaction, payment, now);
    change.new_payment = payment.id;
    return change;
}

Result<RunChange> resolve(db::Transaction& transaction, const Taken& taken,
                          const RunInstruction& said, Time now) {
    if (said.outcome == "declined" || said.outcome == "failed") {
        const State state = said.outcome == "failed" ? State::failed : State::declined;
        return give_up(transaction, taken, state, said.reason, now);
    }
    if (said.outcome != "succeeded") {
        return invalid("outcome is succeeded, declined or failed");
    }
    auto call = find_call(transaction, taken.payment->key);
    if (!call) return refused("nothing was ever sent for this payment");
    if (said.reference.empty()) return invalid("reference is missing: the gateway's own id");
    outbound::GatewayResult answer;
    answer.ending = outbound::GatewayOutcome::succeeded;
    answer.reference = said.reference;
    answer.moved =
        Money{said.amount.value_or(taken.payment->amount.minor), taken.payment->amount.currency};
    answer.note = "resolved by " + said.principal;
    record(transaction, *call, answer, AnswerTo::report, now);
    return redirect(transaction, taken.run, "settle", "running", said.reason, now);
}

Result<RunChange> act(db::Transaction& transaction, const Taken& taken,
                      const RunInstruction& instruction, Time now) {
    if (instruction.act == RunAct::resume) {
        if (taken.status != "needs_review" && taken.status != "running") {
            return refused("the run is finished");
        }
        return redirect(transaction, taken.run, taken.run.step, "running", instruction.reason, now);
    }
    if (!taken.payment) return refused("this run has no payment of which that could be said");
    if (payments::is_final(taken.payment->state)) {
        return refused(fmt::format("payment {} is {}", taken.payment->id,
                                   payments::to_text(taken.payment->state)));
    }
    if (instruction.act == RunAct::cancel) {
        return cancel(transaction, taken, instruction.reason, now);
    }
    if (instruction.act == RunAct::resolve) return resolve(transaction, taken, instruction, now);
    return begin_anew(transaction, taken, instruction.reason, now);
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
    details.member("status", change.status).member("act_id", act_id).end_object();
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

Result<RunChange> apply_operator_action(db::Session& session, const RunInstruction& instruction,
                                        Time now) {
    Result<RunChange> result = refused("there is no such run");
    // What is refused changes nothing: its transaction is not committed.
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
