#include "workflows/charge_steps.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "base/rng.hpp"
#include "outbound/keys.hpp"
#include "workflows/backoff.hpp"
#include "workflows/charge_steps_shared.hpp"
#include "workflows/runs.hpp"

namespace pawl::workflows {

using payments::Payment;
using payments::State;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

// A person can tell by now that something is wrong with the gateway's settings, not with the call.
constexpr std::int64_t refusals_max = 50;
constexpr std::size_t payment_id_bytes = 12;

std::string member_of(const std::string& state, const char* name) {
    const auto document = json::Document::parse(state);
    const auto pointer = json::Pointer::parse(std::string("/") + name);
    const auto value = document ? document->root().at(*pointer) : std::nullopt;
    return value ? value->text().value_or("") : "";
}

}  // namespace

std::string state_of_payment(const std::string& payment_id) {
    json::Writer state;
    return state.begin_object().member("payment", payment_id).end_object().take();
}

std::string payment_id_of(const Run& run) {
    return member_of(run.state, "payment");
}

ChargeSteps::Case ChargeSteps::read(db::Transaction& transaction, const Moment& moment) const {
    auto payment =
        payments::find_payment(transaction, payment_id_of(moment.run), payments::Lock::row);
    if (!payment) throw std::runtime_error("the payment of this run is not stored");
    Case known{std::move(*payment), {}, nullptr};
    known.gateway = parts_->gateway(known.payment.gateway);
    if (known.gateway == nullptr) {
        throw std::runtime_error(
            fmt::format("no gateway {} is configured: add config/gateways/{}.toml",
                        known.payment.gateway, known.payment.gateway));
    }
    if (auto call = find_call(transaction, known.payment.key)) known.call = std::move(*call);
    return known;
}

// Begun by a rule or from a terminal: which attempt this is, is decided here. What follows belongs
// to the gateway's lane.
Next ChargeSteps::allocate(db::Transaction& transaction, const Moment& moment) const {
    const std::string id = member_of(moment.run.state, "order");
    const auto order = payments::find_order(transaction, id, payments::Lock::row);
    if (!order) return Review{fmt::format("there is no order {}", id)};
    const outbound::Gateway* gateway = parts_->gateway(order->gateway);
    if (gateway == nullptr)
        return Review{fmt::format("no gateway {} is configured", order->gateway)};
    SecureRng rng;
    const payments::NewPayment wanted{"pay_" + random_token(rng, payment_id_bytes), "",
                                      gateway->config().books, moment.run.correlation_id};
    auto allocated = payments::allocate(transaction, *order, wanted, moment.now);
    if (const auto* other = std::get_if<payments::InTheWay>(&allocated)) {
        return Finish{fmt::format("payment {} of this order is {}", other->payment.id,
                                  payments::to_text(other->payment.state))};
    }
    const auto& payment = std::get<Payment>(allocated);
    point_signals(transaction, moment.run, payment.key, payment.gateway,
                  state_of_payment(payment.id));
    return Wait{"prepare", {}, ""};
}

// Key and bytes are in the database before anything leaves.
Next ChargeSteps::prepare(db::Transaction& transaction, const Moment& moment) const {
    const Case known = read(transaction, moment);
    const Payment& payment = known.payment;
    PinnedCall wanted;
    wanted.key = payment.key;
    wanted.key_sent = outbound::key_to_send(payment.key, known.gateway->key_bytes_max());
    wanted.gateway = payment.gateway;
    wanted.operation = "charge";
    wanted.call =
        known.gateway->charge({payment.order_id, payment.attempt, payment.key, payment.amount,
                               payment.account.str(), payment.payment_method});
    pin(transaction, moment.run, wanted, moment.now);
    return Go{"charge"};
}

ChargeSteps::Begun ChargeSteps::before_charge(db::Transaction& transaction,
                                              const Moment& moment) const {
    const Case known = read(transaction, moment);
    if (auto next = told(transaction, moment, known)) return *next;
    if (known.payment.cancel_requested && !known.call.in_doubt) {
        return end(transaction, moment, known, State::canceled, "canceled before it was sent");
    }
    // What the gateway may have forgotten is never sent again: it would be a new charge to it.
    if (known.call.in_doubt && !inside_horizon(known.call, known.gateway->config(), moment.now)) {
        return Next(Go{"look_up"});
    }
    set_state(transaction, known.payment, State::calling, moment.now);
    return send_again(transaction, known.call, moment.now);
}

Next ChargeSteps::after_charge(db::Transaction& transaction, const Moment& moment,
                               const ForeignCall& sent,
                               const outbound::HttpOutcome& outcome) const {
    Case known = read(transaction, moment);
    known.call.in_doubt = sent.in_doubt;  // as it was before this send
    const outbound::Answer answer = known.gateway->read_charge(outcome, sent.in_doubt);
    parts_->count(known.payment.gateway, answer);
    record(transaction, known.call, answer, Asked::by_call, moment.now);
    if (auto next = told(transaction, moment, known)) return *next;
    return lead(transaction, moment, known, answer);
}

Next ChargeSteps::lead(db::Transaction& transaction, const Moment& moment, const Case& known,
                       const outbound::Answer& answer) const {
    using outbound::Ending;
    Payment after = known.payment;
    if (!answer.reference.empty()) after.reference = answer.reference;
    switch (answer.ending) {
        case Ending::succeeded:
            payments::save(transaction, known.payment, after, moment.now);
            return Go{"settle"};
        case Ending::declined:
            return end(transaction, moment, known, State::declined, answer.note);
        case Ending::canceled:
            return end(transaction, moment, known, State::canceled, answer.note);
        case Ending::failed:
            return end(transaction, moment, known, State::failed, answer.note);
        case Ending::requires_action:
            after.next_action = answer.next_action;
            if (!after.action_deadline)
                after.action_deadline = moment.now + parts_->action_deadline;
            move_state(after, State::requires_action);
            payments::save(transaction, known.payment, after, moment.now);
            return Wait{"await_action", seconds(20), "the payer must do something"};
        case Ending::processing:
            move_state(after, State::processing);
            payments::save(transaction, known.payment, after, moment.now);
            return Wait{known.payment.cancel_requested ? "cancel" : "look_up", seconds(5),
                        "the gateway is at it"};
        case Ending::refused:
            return refused(known, answer, transaction, moment);
        case Ending::not_found:
            return not_found(transaction, moment, known);
        case Ending::unknown:
            break;
    }
    return unclear(transaction, moment, known, answer);
}

// Nothing was carried out: the same attempt, under the same key, after a remedy.
Next ChargeSteps::refused(const Case& known, const outbound::Answer& answer,
                          db::Transaction& transaction, const Moment& moment) const {
    if (moment.run.step != "charge") return unclear(transaction, moment, known, answer);
    if (!answer.may_retry) return end(transaction, moment, known, State::failed, answer.note);
    if (known.call.sends >= refusals_max) {
        return Review{
            fmt::format("the gateway refused it {} times: {}", known.call.sends, answer.note)};
    }
    const Duration pause = answer.retry_after
                               ? Duration(*answer.retry_after)
                               : full_jitter(known.call.sends, seconds(1), minutes(5));
    return Wait{"charge", pause, "refused: " + answer.note};
}

Next ChargeSteps::unclear(db::Transaction& transaction, const Moment& moment, const Case& known,
                          const outbound::Answer& answer) const {
    Payment after = known.payment;
    if (after.state != State::processing && after.state != State::requires_action) {
        move_state(after, State::unknown);
    }
    payments::save(transaction, known.payment, after, moment.now);
    const Duration pause = full_jitter(known.call.sends, seconds(1), minutes(1));
    const bool again = answer.may_retry && moment.run.step == "charge" &&
                       inside_horizon(known.call, known.gateway->config(), moment.now + pause);
    const std::string why = "outcome unknown: " + answer.note;
    if (again)
        return Wait{"charge", answer.retry_after ? Duration(*answer.retry_after) : pause, why};
    return Wait{"look_up", std::max<Duration>(pause, seconds(1)), why};
}

// A search index may lag. What is not found after several looks cannot be told from here, and is
// never sent again blindly.
Next ChargeSteps::not_found(db::Transaction& transaction, const Moment& moment,
                            const Case& known) const {
    constexpr std::int64_t looks_max = 5;
    if (known.gateway->lookup_is_authoritative()) {
        return end(transaction, moment, known, State::failed, "the gateway has no such payment");
    }
    if (inside_horizon(known.call, known.gateway->config(), moment.now)) {
        return Wait{"charge", full_jitter(known.call.sends, seconds(1), minutes(1)),
                    "not found, and its key is still known there"};
    }
    if (known.call.lookups < looks_max) {
        return Wait{"look_up", ceiling_of(known.call.lookups + 1, seconds(30), minutes(30)),
                    "not found yet"};
    }
    return Review{fmt::format(
        "sent {} times and never answered; the gateway does not find {}, which does not prove "
        "that it was not carried out",
        known.call.sends, known.payment.key)};
}

}  // namespace pawl::workflows
