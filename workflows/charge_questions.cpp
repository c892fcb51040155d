// The steps of charge_order that ask the gateway: what became of a call, whether the payer has
// acted, and that it give the payment up.
#include "outbound/keys.hpp"
#include "workflows/backoff.hpp"
#include "workflows/charge_steps.hpp"
#include "workflows/charge_steps_shared.hpp"

namespace pawl::workflows {

using payments::State;
using std::chrono::seconds;

ChargeSteps::Begun ChargeSteps::before_look_up(db::Transaction& transaction,
                                               const Moment& moment) const {
    const Case known = read(transaction, moment);
    if (auto next = told(transaction, moment, known)) return *next;
    const std::string& reference =
        known.call.reference.empty() ? known.payment.reference : known.call.reference;
    return ask(known.call, known.gateway->find_charge(known.payment.key, reference));
}

Next ChargeSteps::after_look_up(db::Transaction& transaction, const Moment& moment,
                                const ForeignCall&, const outbound::HttpOutcome& outcome) const {
    const Case known = read(transaction, moment);
    const outbound::Answer answer = known.gateway->read_found_charge(outcome, known.payment.key);
    record(transaction, known.call, answer, Asked::by_lookup, moment.now);
    if (auto next = told(transaction, moment, known)) return *next;
    return lead(transaction, moment, known, answer);
}

ChargeSteps::Begun ChargeSteps::before_await(db::Transaction& transaction,
                                             const Moment& moment) const {
    const Case known = read(transaction, moment);
    if (auto next = told(transaction, moment, known)) return *next;
    const auto& deadline = known.payment.action_deadline;
    if (known.payment.cancel_requested || (deadline && moment.now >= *deadline)) {
        return Next(Go{"cancel"});
    }
    return ask(known.call, known.gateway->find_charge(known.payment.key, known.payment.reference));
}

Next ChargeSteps::after_await(db::Transaction& transaction, const Moment& moment,
                              const ForeignCall& sent, const outbound::HttpOutcome& outcome) const {
    using outbound::Ending;
    const Case known = read(transaction, moment);
    const outbound::Answer answer = known.gateway->read_found_charge(outcome, known.payment.key);
    const bool said = answer.ending != Ending::unknown && answer.ending != Ending::not_found &&
                      answer.ending != Ending::refused;
    if (said) return after_look_up(transaction, moment, sent, outcome);
    return Wait{"await_action", seconds(20), "asked, and not answered: " + answer.note};
}

// A call of its own, under a key of its own, pinned like any other.
ChargeSteps::Begun ChargeSteps::before_cancel(db::Transaction& transaction,
                                              const Moment& moment) const {
    const Case known = read(transaction, moment);
    if (auto next = told(transaction, moment, known)) return *next;
    if (known.payment.reference.empty()) return Next(Go{"look_up"});
    PinnedCall wanted;
    wanted.key = outbound::step_key(known.payment.key, "cancel");
    wanted.key_sent = outbound::key_to_send(wanted.key, known.gateway->key_bytes_max());
    wanted.gateway = known.payment.gateway;
    wanted.operation = "cancel";
    wanted.call = known.gateway->cancel(known.payment.reference);
    const PinnedCall pinned = pin(transaction, moment.run, wanted, moment.now);
    if (pinned.in_doubt && !inside_horizon(pinned, known.gateway->config(), moment.now)) {
        return Next(Go{"look_up"});
    }
    return send_again(transaction, pinned, moment.now);
}

Next ChargeSteps::after_cancel(db::Transaction& transaction, const Moment& moment,
                               const ForeignCall& sent,
                               const outbound::HttpOutcome& outcome) const {
    using outbound::Ending;
    const Case known = read(transaction, moment);
    const outbound::Answer answer = known.gateway->read_cancel(outcome);
    parts_->count(known.payment.gateway, answer);
    auto call = find_call(transaction, outbound::step_key(known.payment.key, "cancel"));
    call->in_doubt = sent.in_doubt;
    record(transaction, *call, answer, Asked::by_call, moment.now);
    if (answer.ending == Ending::canceled) {
        record(transaction, known.call, answer, Asked::by_lookup, moment.now);
        return end(transaction, moment, known, State::canceled, "canceled at the gateway");
    }
    // It cannot be canceled any more: then something else became of it, which a look will tell.
    if (answer.ending != Ending::unknown) {
        return Wait{"look_up", seconds(1), "not canceled: " + answer.note};
    }
    return Wait{"cancel", full_jitter(call->sends, seconds(1), seconds(60)),
                "not known whether it was canceled: " + answer.note};
}

}  // namespace pawl::workflows
