// How refund_payment ends: the money is back, it came to nothing, or a person must look.
#include <fmt/core.h>

#include "base/json.hpp"
#include "jobs/stage.hpp"
#include "payments/answers.hpp"
#include "payments/idempotency.hpp"
#include "providers/provider.hpp"
#include "workflows/refund_steps.hpp"

namespace pawl::workflows {

using payments::Payment;
using payments::Refund;
using payments::RefundState;
using payments::State;

namespace {

void announce(db::Transaction& transaction, const Refund& refund, const AccountId& account,
              const std::string& type, Time now) {
    json::Writer payload;
    payload.begin_object().member("type", type).member("refund_id", refund.id);
    payload.member("payment_id", refund.payment_id).member("order", refund.order_id);
    payload.member("key", refund.key).member("account", account.str());
    payload.member("amount", refund.amount.minor);
    payload.member("currency", refund.amount.currency.code());
    payload.member("state", payments::to_text(refund.state)).member("note", refund.note);
    payload.member("reference", refund.reference).end_object();
    jobs::stage(transaction, {{"notify", payload.take(), refund.correlation_id}}, now);
    Refund stored = refund;
    stored.updated_at = now;
    payments::answer_subject(transaction, refund.id, payments::settled_answer(stored), now);
}

// What the payment has become: all of it is back, or a part.
void mark_payment(db::Transaction& transaction, const Payment& payment, Time now) {
    std::int64_t back = 0;
    for (const Refund& one : payments::refunds_of(transaction, payment.id)) {
        if (one.state == RefundState::succeeded) back += one.amount.minor;
    }
    Payment after = payment;
    const State to = back >= payment.captured ? State::refunded : State::partially_refunded;
    if (after.state != to && payments::may_move(after.state, to)) after.state = to;
    payments::save(transaction, payment, after, now);
}

}  // namespace

std::optional<Next> RefundSteps::told(db::Transaction& transaction, const Moment& moment,
                                      const Case& known) const {
    for (const Signal& signal : moment.signals) {
        if (!signal.amount) continue;
        outbound::Answer answer;
        answer.ending = outbound::Ending::succeeded;
        answer.reference = signal.reference;
        answer.moved = signal.amount;
        answer.note = "told by " + signal.provider.str() + "/" + signal.event_id.str();
        record(transaction, known.call, answer, Asked::by_lookup, moment.now);
        return lead(transaction, moment, known, answer);
    }
    const bool asked_already = moment.run.step == "look_up" || moment.run.step == "settle";
    if (moment.signals.empty() || asked_already || known.call.sends == 0) return std::nullopt;
    return Go{"look_up"};
}

Next RefundSteps::settle(db::Transaction& transaction, const Moment& moment) const {
    const Case known = read(transaction, moment);
    Refund after = known.refund;
    if (!known.call.reference.empty()) after.reference = known.call.reference;
    if (!known.call.moved) {
        return Review{"the gateway reports the refund as succeeded, without an amount"};
    }
    const Money moved = *known.call.moved;
    const Posting posting{
        Posting::Way::debit,
        providers::make_effect_key(known.payment.books, "refund", {after.reference}),
        ProviderName(known.payment.gateway),
        known.payment.books,
        known.payment.account,
        moved,
        known.payment.id,
        after.correlation_id,
        after.id};
    const Posted posted = parts_->post(transaction, posting, moment.now);
    if (posted == Posted::conflict || posted == Posted::refused) {
        return Review{posted == Posted::conflict
                          ? "its effect is in the books already, with other content"
                          : "the account cannot take the debit"};
    }
    if (moved != after.amount) {
        payments::save(transaction, known.refund, after, moment.now);
        return Review{fmt::format("the gateway gave back {}, and {} was asked for",
                                  to_decimal_text(moved), to_decimal_text(after.amount))};
    }
    if (!payments::may_move(after.state, RefundState::succeeded)) {
        return Review{fmt::format("it was {}, and the gateway has given the money back after all",
                                  payments::to_text(after.state))};
    }
    after.state = RefundState::succeeded;
    after.note.clear();
    payments::save(transaction, known.refund, after, moment.now);
    mark_payment(transaction, known.payment, moment.now);
    announce(transaction, after, known.payment.account, "refund.succeeded", moment.now);
    return Finish{"refunded"};
}

Next RefundSteps::end(db::Transaction& transaction, const Moment& moment, const Case& known,
                      RefundState state, const std::string& note) const {
    Refund after = known.refund;
    if (after.state == state || !payments::may_move(after.state, state)) return Finish{note};
    after.note = note;
    after.state = state;
    payments::save(transaction, known.refund, after, moment.now);
    announce(transaction, after, known.payment.account,
             "refund." + std::string(payments::to_text(state)), moment.now);
    return Finish{note};
}

void RefundSteps::hand_to_person(db::Transaction& transaction, const Moment& moment,
                                 const std::string& why) const {
    const Case known = read(transaction, moment);
    if (!payments::may_move(known.refund.state, RefundState::needs_review)) return;
    end(transaction, moment, known, RefundState::needs_review, why);
}

Next RefundSteps::late_news(db::Transaction& transaction, const Moment& moment) const {
    const Case known = read(transaction, moment);
    if (known.refund.state == RefundState::succeeded) return Finish{"refunded"};
    if (auto next = told(transaction, moment, known)) return *next;
    return Finish{known.refund.note};
}

}  // namespace pawl::workflows
