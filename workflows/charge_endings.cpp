// How charge_order ends: settled, come to nothing, handed to a person; and news that come late.
#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "base/log.hpp"
#include "jobs/stage.hpp"
#include "payments/answers.hpp"
#include "payments/idempotency.hpp"
#include "providers/provider.hpp"
#include "workflows/backoff.hpp"
#include "workflows/charge_steps.hpp"
#include "workflows/charge_steps_shared.hpp"

namespace pawl::workflows {

using payments::Payment;
using payments::State;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

bool is_paid(State state) {
    return state == State::succeeded || state == State::refunded ||
           state == State::partially_refunded || state == State::disputed;
}

bool came_to_nothing(State state) {
    return state == State::declined || state == State::failed || state == State::canceled;
}

outbound::Answer answer_of(const Signal& signal) {
    outbound::Answer answer;
    answer.ending = outbound::Ending::succeeded;
    answer.reference = signal.reference;
    answer.moved = signal.amount;
    answer.note = "told by " + signal.provider.str() + "/" + signal.event_id.str();
    return answer;
}

}  // namespace

void move_state(Payment& payment, State to) {
    if (payment.state != to && payments::may_move(payment.state, to)) payment.state = to;
}

void set_state(db::Transaction& transaction, const Payment& payment, State to, Time now) {
    Payment after = payment;
    move_state(after, to);
    if (after.state != payment.state) payments::save(transaction, payment, after, now);
}

void announce(db::Transaction& transaction, const Payment& payment, const std::string& type,
              Time now) {
    json::Writer payload;
    payload.begin_object().member("type", type).member("payment_id", payment.id);
    payload.member("order", payment.order_id).member("attempt", payment.attempt);
    payload.member("key", payment.key).member("account", payment.account.str());
    payload.member("amount", payment.captured == 0 ? payment.amount.minor : payment.captured);
    payload.member("currency", payment.amount.currency.code());
    payload.member("state", payments::to_text(payment.state)).member("note", payment.note);
    payload.member("reference", payment.reference).end_object();
    jobs::stage(transaction, {{"notify", payload.take(), payment.correlation_id}}, now);
    Payment stored = payment;
    stored.updated_at = now;
    payments::answer_subject(transaction, payment.id, payments::settled_answer(stored), now);
}

std::optional<Next> ChargeSteps::told(db::Transaction& transaction, const Moment& moment,
                                      const Case& known) const {
    for (const Signal& signal : moment.signals) {
        if (!signal.amount) continue;
        const outbound::Answer answer = answer_of(signal);
        record(transaction, known.call, answer, Asked::by_lookup, moment.now);
        return lead(transaction, moment, known, answer);
    }
    const bool asked_already = moment.run.step == "look_up" || moment.run.step == "settle";
    if (moment.signals.empty() || asked_already || known.call.sends == 0) return std::nullopt;
    // Something happened over there. What, the gateway is asked.
    Payment after = known.payment;
    if (after.reference.empty()) after.reference = moment.signals.front().reference;
    payments::save(transaction, known.payment, after, moment.now);
    return Go{"look_up"};
}

// One credit, whoever told first: the effect key is the one that the webhook's rule uses.
Next ChargeSteps::settle(db::Transaction& transaction, const Moment& moment) const {
    const Case known = read(transaction, moment);
    if (!known.call.moved) return Review{"the gateway says paid, and not how much"};
    const Money moved = *known.call.moved;

    Payment after = known.payment;
    after.reference = known.call.reference.empty() ? after.reference : known.call.reference;
    after.captured = moved.minor;
    const auto attempts = payments::payments_of(transaction, known.payment.order_id);
    after.overpaid = std::any_of(attempts.begin(), attempts.end(), [&](const Payment& other) {
        return other.id != after.id && !came_to_nothing(other.state);
    });
    if (after.overpaid) {
        log::error("an attempt that was final has settled late, and another one is under way",
                   {{"order", after.order_id},
                    {"payment", after.id},
                    {"key", after.key},
                    {"correlation_id", after.correlation_id.str()}});
    }
    const Posting posting{Posting::Way::credit,
                          providers::make_effect_key(after.books, "capture", {after.reference}),
                          ProviderName(after.gateway),
                          after.books,
                          after.account,
                          moved,
                          after.id,
                          after.correlation_id};
    const Posted posted = parts_->post(transaction, posting, moment.now);
    if (posted == Posted::conflict || posted == Posted::refused) {
        return Review{posted == Posted::conflict
                          ? "its effect is in the books already, with other content"
                          : "the account cannot take the credit"};
    }
    if (moved != after.amount) {
        payments::save(transaction, known.payment, after, moment.now);
        return Review{fmt::format("the gateway moved {} {}, the order says {} {}",
                                  to_decimal_text(moved), moved.currency.code(),
                                  to_decimal_text(after.amount), after.amount.currency.code())};
    }
    move_state(after, State::succeeded);
    after.note.clear();
    after.next_action.clear();
    payments::save(transaction, known.payment, after, moment.now);
    announce(transaction, after, "payment.succeeded", moment.now);
    return Finish{after.overpaid ? "paid, as another attempt was" : "paid"};
}

Next ChargeSteps::end(db::Transaction& transaction, const Moment& moment, const Case& known,
                      State state, const std::string& note) const {
    Payment after = known.payment;
    after.note = note;
    after.next_action.clear();
    move_state(after, state);
    if (after.state == known.payment.state) return Finish{note};
    payments::save(transaction, known.payment, after, moment.now);
    announce(transaction, after, "payment." + std::string(payments::to_text(state)), moment.now);
    return Finish{note};
}

void ChargeSteps::hand_to_person(db::Transaction& transaction, const Moment& moment,
                                 const std::string& why) const {
    const std::string id = payment_id_of(moment.run);
    const auto before = payments::find_payment(transaction, id, payments::Lock::row);
    if (!before || before->state == State::needs_review) return;
    Payment after = *before;
    after.note = why;
    move_state(after, State::needs_review);
    payments::save(transaction, *before, after, moment.now);
    if (after.state != before->state) {
        announce(transaction, after, "payment.needs_review", moment.now);
    }
}

// A finished run is told something: a provider that settles late, most often only the webhook of
// what the API's answer has said already.
Next ChargeSteps::late_news(db::Transaction& transaction, const Moment& moment) const {
    const Case known = read(transaction, moment);
    if (is_paid(known.payment.state)) return Finish{"paid"};
    if (auto next = told(transaction, moment, known)) return *next;
    return Finish{known.payment.note};
}

}  // namespace pawl::workflows
