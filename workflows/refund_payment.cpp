#include "workflows/refund_payment.hpp"

#include "base/json.hpp"
#include "workflows/refund_steps.hpp"
#include "workflows/runs.hpp"

namespace pawl::workflows {

Workflow refund_payment(const Parts& parts) {
    const RefundSteps steps(parts);
    const auto send = [&parts](const ForeignCall& call) { return parts.send(call); };
    const auto local = [steps](Next (RefundSteps::*does)(db::Transaction&, const Moment&) const) {
        return LocalStep([steps, does](db::Transaction& transaction, const Moment& moment) {
            return (steps.*does)(transaction, moment);
        });
    };
    const ForeignStep refund{
        [steps](db::Transaction& transaction, const Moment& moment) {
            return steps.before_refund(transaction, moment);
        },
        send,
        [steps](db::Transaction& transaction, const Moment& moment, const ForeignCall& call,
                const outbound::HttpOutcome& outcome) {
            return steps.after_refund(transaction, moment, call, outcome);
        }};
    const ForeignStep look_up{[steps](db::Transaction& transaction, const Moment& moment) {
                                  return steps.before_look_up(transaction, moment);
                              },
                              send,
                              [steps](db::Transaction& transaction, const Moment& moment,
                                      const ForeignCall&, const outbound::HttpOutcome& outcome) {
                                  return steps.after_look_up(transaction, moment, outcome);
                              }};
    Workflow workflow;
    workflow.name = refund_payment_name;
    workflow.steps = {{"prepare", local(&RefundSteps::prepare)},
                      {"refund", refund},
                      {"settle", local(&RefundSteps::settle)},
                      {"look_up", look_up},
                      {"late_news", local(&RefundSteps::late_news)}};
    workflow.on_signal = "late_news";
    workflow.on_review = [steps](db::Transaction& transaction, const Moment& moment,
                                 const std::string& why) {
        steps.hand_to_person(transaction, moment, why);
    };
    return workflow;
}

void start_refund(db::Transaction& transaction, const payments::Refund& refund,
                  const payments::Payment& payment, Time now) {
    NewRun run;
    run.workflow = refund_payment_name;
    run.key = refund.key;
    run.signal_key = refund.key;
    run.lane = payment.gateway;
    run.step = "prepare";
    json::Writer state;
    run.state = state.begin_object().member("refund", refund.id).end_object().take();
    run.correlation_id = refund.correlation_id;
    start_run(transaction, run, now);
}

}  // namespace pawl::workflows
