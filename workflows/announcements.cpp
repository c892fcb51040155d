#include "workflows/announcements.hpp"

#include "base/json.hpp"
#include "jobs/stage.hpp"
#include "payments/answers.hpp"
#include "payments/idempotency.hpp"

namespace pawl::workflows {
namespace {

// The call itself is no news.
bool is_news(payments::State state) {
    return state != payments::State::calling;
}
bool is_news(payments::RefundState state) {
    return state != payments::RefundState::calling;
}

// What the payer must do may hold secrets, and is not stored in an answer.
payments::Payment without_secrets(payments::Payment payment) {
    payment.next_action.clear();
    return payment;
}
const payments::Refund& without_secrets(const payments::Refund& refund) {
    return refund;
}

template <class Subject>
void tell(db::Transaction& transaction, const std::string& kind, Subject subject,
          json::Writer payload, Time now) {
    payload.member("type", kind + "." + std::string(payments::to_text(subject.state)));
    payload.member("order", subject.order_id).member("key", subject.key);
    payload.member("currency", subject.amount.currency.code());
    payload.member("state", payments::to_text(subject.state)).member("note", subject.note);
    payload.member("reference", subject.reference).end_object();
    if (is_news(subject.state)) {
        jobs::stage(transaction, {{"notify", payload.take(), subject.correlation_id}}, now);
    }
    if (!payments::is_answered(subject.state)) return;
    subject.updated_at = now;  // as it is stored by this transaction
    payments::answer_subject(transaction, subject.id, payments::answer_of(without_secrets(subject)),
                             now);
}

}  // namespace

void announce(db::Transaction& transaction, const payments::Payment& payment, Time now) {
    json::Writer payload;
    payload.begin_object().member("payment_id", payment.id).member("attempt", payment.attempt);
    payload.member("account", payment.account.str());
    payload.member("amount", payment.captured == 0 ? payment.amount.minor : payment.captured);
    tell(transaction, "payment", payment, std::move(payload), now);
}

void announce(db::Transaction& transaction, const payments::Refund& refund,
              const AccountId& account, Time now) {
    json::Writer payload;
    payload.begin_object().member("refund_id", refund.id).member("payment_id", refund.payment_id);
    payload.member("account", account.str()).member("amount", refund.amount.minor);
    tell(transaction, "refund", refund, std::move(payload), now);
}

void announce(db::Transaction& transaction, const payments::Capture& capture,
              const payments::Payment& payment, Time now) {
    if (!payments::is_answered(capture.state)) return;
    payments::Capture stored = capture;
    stored.updated_at = now;  // as it is stored by this transaction
    payments::answer_subject(transaction, stored.id, payments::answer_of(stored, payment), now);
}

}  // namespace pawl::workflows
