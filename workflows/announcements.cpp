#include "workflows/announcements.hpp"

#include "base/json.hpp"
#include "jobs/stage.hpp"
#include "payments/answers.hpp"
#include "payments/idempotency.hpp"

namespace pawl::workflows {
namespace {

template <class Ended>
void tell(db::Transaction& transaction, const std::string& kind, Ended ended, json::Writer payload,
          Time now) {
    payload.member("type", kind + "." + std::string(payments::to_text(ended.state)));
    payload.member("order", ended.order_id).member("key", ended.key);
    payload.member("currency", ended.amount.currency.code());
    payload.member("state", payments::to_text(ended.state)).member("note", ended.note);
    payload.member("reference", ended.reference).end_object();
    jobs::stage(transaction, {{"notify", payload.take(), ended.correlation_id}}, now);
    ended.updated_at = now;  // as it is stored by this transaction
    payments::answer_subject(transaction, ended.id, payments::settled_answer(ended), now);
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

}  // namespace pawl::workflows
