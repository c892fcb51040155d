#include "workflows/charge_order.hpp"

#include "outbound/keys.hpp"
#include "workflows/charge_steps.hpp"
#include "workflows/runs.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {

// Read it from top to bottom: that is the order in which a payment that goes well passes through.
// Whatever is not clear goes to look_up; whatever cannot become clear goes to a person.
Workflow charge_order(const Parts& parts) {
    const ChargeSteps steps(parts);
    const auto send = [&parts](const ForeignCall& call) { return parts.send(call); };
    const auto local = [steps](Next (ChargeSteps::*does)(db::Transaction&, const Moment&) const) {
        return LocalStep([steps, does](db::Transaction& transaction, const Moment& moment) {
            return (steps.*does)(transaction, moment);
        });
    };
    const auto foreign = [steps, send](ChargeSteps::Before before, ChargeSteps::After after) {
        return ForeignStep{
            [steps, before](db::Transaction& transaction, const Moment& moment) {
                return (steps.*before)(transaction, moment);
            },
            send,
            [steps, after](db::Transaction& transaction, const Moment& moment,
                           const ForeignCall& call, const outbound::HttpOutcome& outcome) {
                return (steps.*after)(transaction, moment, call, outcome);
            }};
    };
    Workflow workflow;
    workflow.name = charge_order_name;
    workflow.steps = {
        {"allocate", local(&ChargeSteps::allocate)},
        {"prepare", local(&ChargeSteps::prepare)},
        {"charge", foreign(&ChargeSteps::before_charge, &ChargeSteps::after_charge)},
        {"settle", local(&ChargeSteps::settle)},
        {"look_up", foreign(&ChargeSteps::before_look_up, &ChargeSteps::after_look_up)},
        {"await_action", foreign(&ChargeSteps::before_await, &ChargeSteps::after_await)},
        {"cancel", foreign(&ChargeSteps::before_cancel, &ChargeSteps::after_cancel)},
        {"late_news", local(&ChargeSteps::late_news)},
    };
    workflow.on_signal = "late_news";
    workflow.on_review = [steps](db::Transaction& transaction, const Moment& moment,
                                 const std::string& why) {
        steps.hand_to_person(transaction, moment, why);
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

void start_charge_of_order(db::Transaction& transaction, const std::string& order,
                           const std::string& key, const CorrelationId& correlation_id, Time now) {
    NewRun run;
    run.workflow = charge_order_name;
    run.key = key;
    run.step = "allocate";
    json::Writer state;
    run.state = state.begin_object().member("order", order).end_object().take();
    run.correlation_id = correlation_id;
    start_run(transaction, run, now);
}

// The run first, then order and payment: in the order in which workers lock them.
void request_cancel(db::Transaction& transaction, const payments::Payment& payment, Time now) {
    transaction.run(sql::wake_run, db::Params().text(payment.key).time(now));
    const auto before = payments::find_payment(transaction, payment.id, payments::Lock::row);
    if (!before || payments::is_final(before->state)) return;
    payments::Payment after = *before;
    after.cancel_requested = true;
    payments::save(transaction, *before, after, now);
}

}  // namespace pawl::workflows
