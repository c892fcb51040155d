#include "workflows/charge/charge_order.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "base/json.hpp"
#include "base/keys.hpp"
#include "base/storable.hpp"
#include "workflows/call/endings.hpp"
#include "workflows/call/pinned_call.hpp"
#include "workflows/crediting.hpp"
#include "workflows/engine/runs.hpp"
#include "workflows/refund/refund_payment.hpp"
#include "workflows/sql.hpp"
#include "workflows/standing.hpp"

namespace pawl::workflows {
namespace {

using outbound::GatewayOutcome;
using outbound::GatewayResult;
using outbound::HttpResult;
using payments::Payment;
using payments::State;

Subject load(db::Transaction& transaction, const Run& run) {
    auto payment =
        payments::find_payment(transaction, run.remembered("payment"), payments::Lock::row);
    if (!payment) throw std::runtime_error("the payment of this run is not stored");
    return {std::move(*payment)};
}

Next end(db::Transaction& transaction, const Payment& payment, State state, const std::string& note,
         Time now) {
    Payment after = payment;
    after.note = note;
    after.next_action.clear();
    // Closed at the gateway: nothing is left to capture there.
    if (payments::ended_without_capture(state)) after.capturable = 0;
    const bool stays = !payments::advance(after, state) && after.state != state;
    if (stays && after.capturable == payment.capturable) return Finish{note};
    if (stays) after.note = payment.note;
    // Under its reference money may have moved already.
    bring_to_sums(transaction, payment, after, now);
    return Finish{note};
}

// A cancel that was asked for is the reason, whatever the gateway calls it.
State closed_as(const Subject& subject, const GatewayResult& answer) {
    if (subject.payment.cancel_requested) return State::canceled;
    const bool declined =
        answer.ending == GatewayOutcome::declined ||
        (answer.ending == GatewayOutcome::canceled && subject.call.outcome == "declined");
    if (declined) return State::declined;
    return answer.ending == GatewayOutcome::canceled ? State::canceled : State::failed;
}

Next close(db::Transaction& transaction, const StepContext& context, Subject& subject,
           const GatewayResult& answer) {
    const State state = closed_as(subject, answer);
    const std::string& note = state == State::declined ? subject.call.note : answer.note;
    return end(transaction, subject.payment, state, note, context.now);
}

std::string action_json(const outbound::PayerAction& action, const std::optional<Time>& deadline) {
    json::Writer out;
    const auto if_any = [](const std::string& text) {
        return text.empty() ? std::nullopt : std::optional(text);
    };
    out.begin_object().member("type", storable(action.type));
    out.member("redirect_url", if_any(storable(action.redirect_url)));
    out.member("client_secret", if_any(storable(action.client_secret)));
    out.member("expires_at", deadline ? std::optional(to_rfc3339(*deadline)) : std::nullopt);
    return out.end_object().take();
}

void authorize(Payment& payment, const GatewayResult& answer) {
    payment.next_action.clear();
    if (answer.capture_before) payment.capture_before = answer.capture_before;
    const Money nothing{0, payment.amount.currency};
    const auto left = answer.capturable ? std::optional(answer.capturable->minor) : std::nullopt;
    take_capturable(payment, answer.moved.value_or(nothing), left);
}

// A reference that another payment holds is not stored: settling ends with an operator.
void store(db::Transaction& transaction, const Payment& payment, std::optional<State> state,
           const GatewayResult& answer, Time now, Time deadline) {
    Payment after = payment;
    take_reference(transaction, after, answer.reference);
    if (state) payments::advance(after, *state);
    if (answer.ending == GatewayOutcome::authorized) authorize(after, answer);
    if (answer.ending == GatewayOutcome::requires_action) {
        if (!after.action_deadline) after.action_deadline = deadline;
        if (answer.action) after.next_action = action_json(*answer.action, after.action_deadline);
    }
    keep(transaction, payment, after, now);
}

// A run that a rule has started allocates its attempt here. The steps after it belong to the
// gateway's lane.
Next allocate(db::Transaction& transaction, const StepContext& context, const WorkflowDeps& parts) {
    const std::string id = context.run.remembered("order");
    const auto order = payments::find_order(transaction, id, payments::Lock::row);
    if (!order) return Review{fmt::format("there is no order {}", id)};
    const outbound::Gateway* gateway = parts.gateway(order->gateway);
    if (gateway == nullptr) {
        return Review{fmt::format("no gateway {} is configured", order->gateway)};
    }
    auto allocated = payments::allocate(
        transaction, *order,
        {payments::new_payment_id(), "", gateway->config().books, context.run.correlation_id},
        context.now);
    if (const auto* other = std::get_if<payments::InTheWay>(&allocated)) {
        return Finish{fmt::format("payment {} of this order is {}", other->payment.id,
                                  payments::to_text(other->payment.state))};
    }
    if (std::holds_alternative<payments::MoreThanDue>(allocated)) return Finish{"nothing is due"};
    const auto& payment = std::get<Payment>(allocated);
    point_signals(transaction, context.run, payment.key, payment.gateway,
                  state_with("payment", payment.id));
    return Wait{"prepare", {}, ""};
}

CallHooks charge_hooks(const WorkflowDeps& parts) {
    CallHooks hooks;
    hooks.step = "charge";
    hooks.load = load;
    hooks.key = [](const Subject& of) { return of.payment.key; };
    hooks.request = [](const Subject& of) {
        const Payment& payment = of.payment;
        return of.gateway->charge({payment.order_id, payment.attempt, payment.key, payment.amount,
                                   payment.account.str(), payment.payment_method, payment.customer,
                                   payment.return_url, payment.off_session,
                                   payment.manual_capture});
    };
    hooks.read = [](const Subject& of, const HttpResult& outcome, bool in_doubt) {
        return of.gateway->read_charge(outcome, of.payment.key, in_doubt);
    };
    hooks.question = [](const Subject& of) {
        const bool answered = !of.call.reference.empty();
        return of.gateway->find_charge(of.payment.key,
                                       answered ? of.call.reference : of.payment.reference);
    };
    hooks.question_about = [](const Subject& of, const std::string& reference) {
        return of.gateway->find_charge(of.payment.key, reference);
    };
    hooks.read_found = [](const Subject& of, const HttpResult& outcome) {
        return of.gateway->read_found_charge(outcome, of.payment.key);
    };
    hooks.instead = [](db::Transaction& transaction, const StepContext& context,
                       Subject& of) -> std::optional<Next> {
        if (!of.payment.cancel_requested) return std::nullopt;
        if (of.call.in_doubt) return Go{"look_up"};
        return end(transaction, of.payment, State::canceled, "canceled before it was sent",
                   context.now);
    };
    hooks.store = [&parts](db::Transaction& transaction, const Subject& of,
                           std::optional<State> state, const GatewayResult& answer, Time now) {
        store(transaction, of.payment, state, answer, now, now + parts.action_deadline);
    };
    hooks.give_up = [](const Subject& of, const GatewayResult& answer,
                       Time now) -> std::optional<Next> {
        const auto& deadline = of.payment.action_deadline;
        const bool authorized = answer.ending == GatewayOutcome::authorized;
        // The payer has acted; but the attempt may have come to its end before.
        const bool late = deadline && now >= *deadline;
        const bool ended = payments::ended_without_capture(of.payment.state);
        const bool over = authorized ? ended : late;
        if (!of.payment.cancel_requested && !over) return std::nullopt;
        return Go{"cancel"};
    };
    hooks.close = close;
    hooks.settled = [](db::Transaction& transaction, const Subject& of, Time now) {
        const Payment after = bring_to_sums(transaction, of.payment, of.payment, now);
        const bool paid = payments::is_captured(after.state) && payments::is_closed(after);
        return paid ? std::optional<std::string>("paid") : std::nullopt;
    };
    return hooks;
}

// A cancel is pinned under a key of its own. Unless it succeeds, the charge is looked up after it.
CallHooks cancel_hooks(const WorkflowDeps& parts) {
    CallHooks hooks = charge_hooks(parts);
    hooks.step = "cancel";
    hooks.kind = AnswerTo::cancel;
    hooks.key = [](const Subject& of) {
        return cancel_key(of.payment.order_id, of.payment.attempt);
    };
    hooks.request = [](const Subject& of) { return of.gateway->cancel(of.payment.reference); };
    hooks.read = [](const Subject& of, const HttpResult& outcome, bool) {
        return of.gateway->read_cancel(outcome, of.payment.key);
    };
    hooks.instead = [](db::Transaction& transaction, const StepContext& context,
                       Subject& of) -> std::optional<Next> {
        if (of.call.sends == 0) {
            return end(transaction, of.payment, State::canceled, "canceled before it was sent",
                       context.now);
        }
        if (of.payment.reference.empty()) return Go{"look_up"};
        return std::nullopt;
    };
    hooks.close = [](db::Transaction& transaction, const StepContext& context, Subject& of,
                     const GatewayResult& answer) {
        record(transaction, of.call, answer, AnswerTo::report, context.now);
        return close(transaction, context, of, answer);
    };
    return hooks;
}

// Refunds a charge that was executed although a cancel had been accepted.
void refund_canceled_charge(db::Transaction& transaction, const Payment& payment, Time now) {
    const auto made = payments::allocate_refund(
        transaction, payment,
        {payments::new_refund_id(), payment.captured - payment.returned, payment.correlation_id},
        now);
    if (const auto* refund = std::get_if<payments::Refund>(&made)) {
        start_refund(transaction, *refund, payment, now);
    }
}

// Something is left to capture, unless the attempt was given up.
Next next_for_rest(const Subject& before, const Payment& payment) {
    const bool given_up =
        payment.cancel_requested || payments::ended_without_capture(before.payment.state);
    if (given_up) return Go{"cancel"};
    return Wait{"look_up", pause_while_authorized(before.call), "captured in part"};
}

// Posts one credit, whether the answer or a webhook was first: the effect key is the one that the
// webhook's rule uses. The payment's state then follows from the sums.
Next settle(db::Transaction& transaction, const StepContext& context, const Subject& subject,
            const WorkflowDeps& parts) {
    if (!subject.call.moved || subject.call.moved->minor <= 0) {
        return Review{"the gateway says paid, and not how much"};
    }
    const Money moved = *subject.call.moved;
    Payment after = subject.payment;
    if (const auto holder = take_reference(transaction, after, subject.call.reference)) {
        return Review{
            fmt::format("reference {} belongs to payment {}", subject.call.reference, *holder)};
    }
    const auto review = credit(transaction, after, moved, parts, context.now);
    const bool first = !payments::is_captured(after.state);
    const bool goes_back = first && after.cancel_requested && !review;
    after.note = goes_back ? "executed before its cancel; refunded" : "";
    after.next_action.clear();
    take_capturable(after, moved, subject.call.capturable);
    after = bring_to_sums(transaction, subject.payment, after, context.now);
    if (review) return *review;
    if (moved.minor >= after.captured) confirm_captures(transaction, after);
    if (after.state == State::needs_review) {
        return Review{fmt::format("the gateway moved {} {}, the order is in {}",
                                  to_decimal_text(moved), moved.currency.code(),
                                  after.amount.currency.code())};
    }
    if (goes_back) refund_canceled_charge(transaction, after, context.now);
    if (subject.call.outcome == "authorized") return next_for_rest(subject, after);
    return Finish{after.overpaid ? "paid, as another attempt was" : "paid"};
}

}  // namespace

// A run that a rule has started allocates its attempt first. A cancel is a call of its own.
Workflow charge_order(const WorkflowDeps& parts) {
    Workflow workflow = call_workflow(charge_order_name, charge_hooks(parts), settle, parts);
    workflow.steps.insert(
        workflow.steps.begin(),
        {"allocate", LocalStep([&parts](db::Transaction& transaction, const StepContext& context) {
             return allocate(transaction, context, parts);
         })});
    workflow.steps.push_back(send_step(cancel_hooks(parts), parts));
    workflow.renamed = {{"await_action", "look_up"}};
    workflow.on_review = [](db::Transaction& transaction, const StepContext& context,
                            const std::string& why) {
        if (context.run.remembered("payment").empty()) return;
        end(transaction, load(transaction, context.run).payment, State::needs_review, why,
            context.now);
    };
    return workflow;
}

void start_charge(db::Transaction& transaction, const payments::Payment& payment, Time now) {
    start_call(transaction,
               {charge_order_name, "payment", payment.id, payment.key, payment.gateway,
                payment.correlation_id},
               now);
}

// Locks the run first, then order and payment: the order in which workers lock them. A run that
// needs review continues with the cancel.
bool request_cancel(db::Transaction& transaction, const payments::Payment& payment, Time now) {
    transaction.run(sql::LockRun{.signal_key = payment.key});
    const auto before = payments::find_payment(transaction, payment.id, payments::Lock::row);
    if (!before || payments::is_closed(*before)) return true;
    if (payments::capture_under_way(transaction, *before)) return false;
    payments::Payment after = *before;
    after.cancel_requested = true;
    payments::save(transaction, *before, after, now);
    transaction.run(sql::WakeRun{.signal_key = payment.key, .now = now, .step = "cancel"});
    return true;
}

}  // namespace pawl::workflows
