#include "workflows/refund_steps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "base/json.hpp"
#include "outbound/keys.hpp"
#include "workflows/backoff.hpp"

namespace pawl::workflows {

using payments::Refund;
using payments::RefundState;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

std::string refund_id_of(const Run& run) {
    const auto document = json::Document::parse(run.state);
    const auto pointer = json::Pointer::parse("/refund");
    const auto value = document ? document->root().at(*pointer) : std::nullopt;
    return value ? value->text().value_or("") : "";
}

}  // namespace

RefundSteps::Case RefundSteps::read(db::Transaction& transaction, const Moment& moment) const {
    auto locked = payments::lock_refund(transaction, refund_id_of(moment.run));
    if (!locked) throw std::runtime_error("the refund of this run is not stored");
    Case known{std::move(locked->refund), std::move(locked->payment), {}, nullptr};
    known.gateway = parts_->gateway(known.payment.gateway);
    if (known.gateway == nullptr) {
        throw std::runtime_error(fmt::format("no gateway {} is configured", known.payment.gateway));
    }
    if (auto call = find_call(transaction, known.refund.key)) known.call = std::move(*call);
    return known;
}

Next RefundSteps::prepare(db::Transaction& transaction, const Moment& moment) const {
    const Case known = read(transaction, moment);
    PinnedCall wanted;
    wanted.key = known.refund.key;
    wanted.key_sent = outbound::key_to_send(known.refund.key, known.gateway->key_bytes_max());
    wanted.gateway = known.payment.gateway;
    wanted.operation = "refund";
    wanted.call =
        known.gateway->refund({known.refund.order_id, known.refund.key, known.payment.reference,
                               known.refund.amount, known.payment.account.str()});
    pin(transaction, moment.run, wanted, moment.now);
    return Go{"refund"};
}

RefundSteps::Begun RefundSteps::before_refund(db::Transaction& transaction,
                                              const Moment& moment) const {
    const Case known = read(transaction, moment);
    if (auto next = told(transaction, moment, known)) return *next;
    if (known.call.in_doubt && !inside_horizon(known.call, known.gateway->config(), moment.now)) {
        return Next(Go{"look_up"});
    }
    Refund after = known.refund;
    if (payments::may_move(after.state, RefundState::calling)) after.state = RefundState::calling;
    payments::save(transaction, known.refund, after, moment.now);
    return send_again(transaction, known.call, moment.now);
}

Next RefundSteps::after_refund(db::Transaction& transaction, const Moment& moment,
                               const ForeignCall& sent,
                               const outbound::HttpOutcome& outcome) const {
    Case known = read(transaction, moment);
    known.call.in_doubt = sent.in_doubt;
    const outbound::Answer answer = known.gateway->read_refund(outcome, sent.in_doubt);
    parts_->count(known.payment.gateway, answer);
    record(transaction, known.call, answer, Asked::by_call, moment.now);
    if (auto next = told(transaction, moment, known)) return *next;
    return lead(transaction, moment, known, answer);
}

RefundSteps::Begun RefundSteps::before_look_up(db::Transaction& transaction,
                                               const Moment& moment) const {
    const Case known = read(transaction, moment);
    if (auto next = told(transaction, moment, known)) return *next;
    return ask(known.call, known.gateway->find_refund(known.refund.key, known.payment.reference));
}

Next RefundSteps::after_look_up(db::Transaction& transaction, const Moment& moment,
                                const outbound::HttpOutcome& outcome) const {
    const Case known = read(transaction, moment);
    const outbound::Answer answer = known.gateway->read_found_refund(outcome, known.refund.key);
    record(transaction, known.call, answer, Asked::by_lookup, moment.now);
    if (auto next = told(transaction, moment, known)) return *next;
    return lead(transaction, moment, known, answer);
}

Next RefundSteps::lead(db::Transaction& transaction, const Moment& moment, const Case& known,
                       const outbound::Answer& answer) const {
    using outbound::Ending;
    Refund after = known.refund;
    if (!answer.reference.empty()) after.reference = answer.reference;
    switch (answer.ending) {
        case Ending::succeeded:
            payments::save(transaction, known.refund, after, moment.now);
            return Go{"settle"};
        case Ending::declined:
        case Ending::canceled:
        case Ending::failed:
            return end(transaction, moment, known, RefundState::failed, answer.note);
        case Ending::requires_action:
        case Ending::processing:
            if (payments::may_move(after.state, RefundState::processing)) {
                after.state = RefundState::processing;
            }
            payments::save(transaction, known.refund, after, moment.now);
            return Wait{"look_up", seconds(30), "the gateway is at it"};
        case Ending::refused:
            if (moment.run.step != "refund") break;
            if (!answer.may_retry) {
                return end(transaction, moment, known, RefundState::failed, answer.note);
            }
            return Wait{"refund",
                        answer.retry_after ? Duration(*answer.retry_after)
                                           : full_jitter(known.call.sends, seconds(1), minutes(5)),
                        "refused: " + answer.note};
        case Ending::not_found:
            return not_found(transaction, moment, known);
        case Ending::unknown:
            break;
    }
    return unclear(transaction, moment, known, answer);
}

Next RefundSteps::unclear(db::Transaction& transaction, const Moment& moment, const Case& known,
                          const outbound::Answer& answer) const {
    Refund after = known.refund;
    if (after.state != RefundState::processing &&
        payments::may_move(after.state, RefundState::unknown)) {
        after.state = RefundState::unknown;
    }
    payments::save(transaction, known.refund, after, moment.now);
    const Duration pause = full_jitter(known.call.sends, seconds(1), minutes(1));
    const bool again = answer.may_retry && moment.run.step == "refund" &&
                       inside_horizon(known.call, known.gateway->config(), moment.now + pause);
    const std::string why = "outcome unknown: " + answer.note;
    if (again)
        return Wait{"refund", answer.retry_after ? Duration(*answer.retry_after) : pause, why};
    return Wait{"look_up", std::max<Duration>(pause, seconds(1)), why};
}

Next RefundSteps::not_found(db::Transaction&, const Moment& moment, const Case& known) const {
    constexpr std::int64_t looks_max = 5;
    if (inside_horizon(known.call, known.gateway->config(), moment.now)) {
        return Wait{"refund", full_jitter(known.call.sends, seconds(1), minutes(1)),
                    "not found, and its key is still known there"};
    }
    if (known.call.lookups < looks_max) {
        return Wait{"look_up", ceiling_of(known.call.lookups + 1, seconds(30), minutes(30)),
                    "not found yet"};
    }
    return Review{fmt::format("sent {} times and never answered; the gateway does not find {}",
                              known.call.sends, known.refund.key)};
}

}  // namespace pawl::workflows
