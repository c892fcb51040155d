#include "payments/refunds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "base/keys.hpp"
#include "base/rng.hpp"
#include "base/text.hpp"
#include "payments/sql.hpp"
#include "payments/sums.hpp"

namespace pawl::payments {
namespace {

Refund to_refund(const sql::RefundRow& row) {
    Refund refund;
    refund.id = row.refund_id();
    refund.payment_id = row.payment_id();
    refund.order_id = row.order_id();
    refund.n = row.n();
    refund.key = row.key();
    refund.state = parse_refund_state(row.state()).value();
    refund.note = row.note().value_or("");
    refund.amount = {row.amount(), Currency::parse(row.currency()).value()};
    refund.reference = row.reference().value_or("");
    refund.correlation_id = CorrelationId(std::string(row.correlation_id()));
    refund.created_at = row.created_at();
    refund.updated_at = row.updated_at();
    return refund;
}

std::optional<Refund> first_of(const db::RowsOf<sql::RefundRow>& rows) {
    if (rows.empty()) return std::nullopt;
    return to_refund(rows[0]);
}

}  // namespace

std::string new_refund_id() {
    constexpr std::size_t id_bytes = 15;
    SecureRng rng;
    return "ref_" + random_token(rng, id_bytes);
}

std::variant<Refund, NotRefundable> allocate_refund(db::Transaction& transaction,
                                                    const Payment& payment, const NewRefund& wanted,
                                                    Time now) {
    // The rows are read after the lock: the caller's copy may be older.
    find_order(transaction, payment.order_id, Lock::row);
    auto current = find_payment(transaction, payment.id);
    if (!current || current->captured == 0) return NotRefundable{"payment_not_refundable"};
    const auto movements = read_movements(transaction, *current);
    const Sums sums = sum_up(*current, movements);
    // An operator's reversal of a capture may not have reached the payment's row yet.
    if (!movements.empty()) {
        current->captured = std::min(current->captured, sums.own.captured);
    }
    const std::int64_t left = refundable(*current, sums, refunds_of(transaction, payment.id));
    if (wanted.amount > left) return NotRefundable{"refund_exceeds_captured", left};

    const auto counted = transaction.run(sql::CountRefund{.order_id = payment.order_id});
    const int n = counted.only().refunds();
    const auto rows =
        transaction.run(sql::InsertRefund{.refund_id = wanted.id,
                                          .payment_id = payment.id,
                                          .order_id = payment.order_id,
                                          .n = n,
                                          .key = refund_key(payment.order_id, n),
                                          .amount = wanted.amount,
                                          .currency = current->amount.currency.code(),
                                          .correlation_id = wanted.correlation_id.str(),
                                          .now = now});
    return to_refund(rows.only());
}

std::optional<Refund> find_refund(db::Transaction& transaction, const std::string& id) {
    return first_of(transaction.run(sql::FindRefund{.refund_id = id}));
}

std::optional<LockedRefund> lock_refund(db::Transaction& transaction, const std::string& id) {
    const auto found = find_refund(transaction, id);
    if (!found) return std::nullopt;
    auto payment = find_payment(transaction, found->payment_id, Lock::row).value();
    const auto rows = transaction.run(sql::LockRefund{.refund_id = id});
    return LockedRefund{to_refund(rows.only()), std::move(payment)};
}

std::vector<Refund> refunds_of(db::Transaction& transaction, const std::string& payment_id) {
    std::vector<Refund> all;
    for (const auto row : transaction.run(sql::RefundsOf{.payment_id = payment_id})) {
        all.push_back(to_refund(row));
    }
    return all;
}

bool advance(Refund& refund, RefundState to) {
    if (refund.state == to || !may_move(refund.state, to)) return false;
    refund.state = to;
    return true;
}

void save(db::Transaction& transaction, const Refund& before, const Refund& after, Time now) {
    if (before == after) return;
    if (before.state != after.state && !may_move(before.state, after.state)) {
        throw std::logic_error(fmt::format("refund {} cannot go from {} to {}", before.id,
                                           to_text(before.state), to_text(after.state)));
    }
    const auto saved = transaction.run(sql::SaveRefund{.refund_id = after.id,
                                                       .state_before = to_text(before.state),
                                                       .state = to_text(after.state),
                                                       .note = if_any(after.note),
                                                       .reference = if_any(after.reference),
                                                       .amount = after.amount.minor,
                                                       .now = now});
    if (saved.affected() == 1) return;
    throw std::logic_error("refund " + before.id + " was read without its lock, and has moved");
}

}  // namespace pawl::payments
