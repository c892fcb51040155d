#include "workflows/charge/charge_order.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "base/json.hpp"
#include "base/keys.hpp"
#include "base/log.hpp"
#include "workflows/announcements.hpp"
#include "workflows/call/pinned_call.hpp"
#include "workflows/engine/runs.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {
namespace {

using outbound::GatewayOutcome;
using outbound::GatewayResult;
using outbound::HttpResult;
using payments::Payment;
using payments::State;

std::string state_of_payment(const std::string& payment_id) {
    json::Writer state;
    return state.begin_object().member("payment", payment_id).end_object().take();
}

bool is_paid(State state) {
    return state == State::succeeded || state == State::refunded ||
           state == State::partially_refunded || state == State::disputed;
}

bool came_to_nothing(State state) {
    return state == State::declined || state == State::failed || state == State::canceled;
}

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
    if (!payments::advance(after, state)) return Finish{note};
    payments::save(transaction, payment, after, now);
    announce(transaction, after, now);
    return Finish{note};
}

Next close(db::Transaction& transaction, const StepContext& context, Subject& subject,
           const GatewayResult& answer) {
    const State state = answer.ending == GatewayOutcome::declined   ? State::declined
                        : answer.ending == GatewayOutcome::canceled ? State::canceled
                                                                    : State::failed;
    return end(transaction, subject.payment, state, answer.note, context.now);
}

void store(db::Transaction& transaction, const Payment& payment, std::optional<State> state,
           const GatewayResult& answer, Time now, Time deadline) {
    Payment after = payment;
    if (!answer.reference.empty()) after.reference = answer.reference;
    if (state) payments::advance(after, *state);
    if (answer.ending == GatewayOutcome::requires_action) {
        after.next_action = answer.next_action;
        if (!after.action_deadline) after.action_deadline = deadline;
    }
    payments::save(transaction, payment, after, now);
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
    const auto& payment = std::get<Payment>(allocated);
    point_signals(transaction, context.run, payment.key, payment.gateway,
                  state_of_payment(payment.id));
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
                                   payment.account.str(), payment.payment_method});
    };
    hooks.read = [](const Subject& of, const HttpResult& outcome, bool in_doubt) {
        return of.gateway->read_charge(outcome, in_doubt);
    };
    hooks.question = [](const Subject& of) {
        const bool answered = !of.call.reference.empty();
        return of.gateway->find_charge(of.payment.key,
                                       answered ? of.call.reference : of.payment.reference);
    };
    hooks.read_found = [](const Subject& of, const HttpResult& outcome) {
        return of.gateway->read_found_charge(outcome, of.payment.key);
    };
    hooks.instead = [](db::Transaction& transaction, const StepContext& context,
                       Subject& of) -> std::optional<Next> {
        if (!of.payment.cancel_requested || of.call.in_doubt) return std::nullopt;
        return end(transaction, of.payment, State::canceled, "canceled before it was sent",
                   context.now);
    };
    hooks.store = [&parts](db::Transaction& transaction, const Subject& of,
                           std::optional<State> state, const GatewayResult& answer, Time now) {
        store(transaction, of.payment, state, answer, now, now + parts.action_deadline);
    };
    hooks.give_up = [](const Subject& of, Time now) -> std::optional<Next> {
        const auto& deadline = of.payment.action_deadline;
        const bool late = deadline && now >= *deadline;
        if (!of.payment.cancel_requested && !late) return std::nullopt;
        return Go{"cancel"};
    };
    hooks.close = close;
    hooks.settled = [](const Subject& of) {
        return is_paid(of.payment.state) ? std::optional<std::string>("paid") : std::nullopt;
    };
    return hooks;
}

// A cancel is pinned under a key of its own. Unless it succeeds, the charge is looked up after it.
CallHooks cancel_hooks(const WorkflowDeps& parts) {
    CallHooks hooks = charge_hooks(parts);
    hooks.step = "cancel";
    hooks.kind = AnswerTo::cancel;
    hooks.key = [](const Subject& of) { return step_key(of.payment.key, "cancel"); };
    hooks.request = [](const Subject& of) { return of.gateway->cancel(of.payment.reference); };
    hooks.read = [](const Subject& of, const HttpResult& outcome, bool) {
        return of.gateway->read_cancel(outcome);
    };
    hooks.instead = [](db::Transaction&, const StepContext&, Subject& of) -> std::optional<Next> {
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

bool is_overpaid(db::Transaction& transaction, const Payment& payment) {
    const auto attempts = payments::payments_of(transaction, payment.order_id);
    const bool overpaid = std::any_of(attempts.begin(), attempts.end(), [&](const Payment& other) {
        return other.id != payment.id && !came_to_nothing(other.state);
    });
    if (overpaid) {
        log::error("an attempt that was final has settled late, and another one is under way",
                   {{"order", payment.order_id},
                    {"payment", payment.id},
                    {"key", payment.key},
                    {"correlation_id", payment.correlation_id.str()}});
    }
    return overpaid;
}

// One credit, whether the answer or a webhook was first: the effect key is the one that the
// webhook's rule uses.
Next settle(db::Transaction& transaction, const StepContext& context, const Subject& subject,
            const WorkflowDeps& parts) {
    if (!subject.call.moved) return Review{"the gateway says paid, and not how much"};
    const Money moved = *subject.call.moved;
    Payment after = subject.payment;
    if (!subject.call.reference.empty()) after.reference = subject.call.reference;
    after.captured = moved.minor;
    after.overpaid = is_overpaid(transaction, after);
    const EffectKey key = root_of_payment(after.books, after.reference);
    ledger::Movement capture{ledger::Kind::credit, after.account, moved, key};
    const auto shape = parts.captures_of(after.gateway);
    if (shape == CaptureShape::ids) return Review{"its books report each capture under an id"};
    if (shape == CaptureShape::total) capture.amount_is = ledger::AmountIs::total;
    const ledger::Entry credit{after.books, {capture}, {}, ledger::ByPayment{after.id}};
    const auto posted = parts.post(transaction, credit, after.correlation_id, context.now);
    if (auto review = review_of(posted, "credit")) return *review;
    if (moved != after.amount) {
        payments::save(transaction, subject.payment, after, context.now);
        return Review{fmt::format("the gateway moved {} {}, the order says {} {}",
                                  to_decimal_text(moved), moved.currency.code(),
                                  to_decimal_text(after.amount), after.amount.currency.code())};
    }
    payments::advance(after, State::succeeded);
    after.note.clear();
    after.next_action.clear();
    payments::save(transaction, subject.payment, after, context.now);
    announce(transaction, after, context.now);
    return Finish{after.overpaid ? "paid, as another attempt was" : "paid"};
}

}  // namespace

// Read it from top to bottom: that is the order in which a payment that goes well passes through.
// An outcome that is not clear goes to look_up; one that cannot become clear goes to an operator.
Workflow charge_order(const WorkflowDeps& parts) {
    const CallHooks charge = charge_hooks(parts);
    Workflow workflow;
    workflow.name = charge_order_name;
    workflow.steps = {
        {"allocate", LocalStep([&parts](db::Transaction& transaction, const StepContext& context) {
             return allocate(transaction, context, parts);
         })},
        prepare_step(charge, parts),
        send_step(charge, parts),
        {"settle",
         LocalStep([charge, &parts](db::Transaction& transaction, const StepContext& context) {
             return settle(transaction, context, read_subject(transaction, context, charge, parts),
                           parts);
         })},
        look_up_step(charge, parts),
        send_step(cancel_hooks(parts), parts),
        late_news_step(charge, parts),
    };
    workflow.on_signal = "late_news";
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
    NewRun run;
    run.workflow = charge_order_name;
    run.key = payment.key;
    run.signal_key = payment.key;
    run.lane = payment.gateway;
    run.step = "prepare";
    run.state = state_of_payment(payment.id);
    run.correlation_id = payment.correlation_id;
    start_run(transaction, run, now);
}

// The run first, then order and payment: in the order in which workers lock them.
void request_cancel(db::Transaction& transaction, const payments::Payment& payment, Time now) {
    transaction.run(sql::WakeRun{.signal_key = payment.key, .now = now});
    const auto before = payments::find_payment(transaction, payment.id, payments::Lock::row);
    if (!before || payments::is_final(before->state)) return;
    payments::Payment after = *before;
    after.cancel_requested = true;
    payments::save(transaction, *before, after, now);
}

}  // namespace pawl::workflows
