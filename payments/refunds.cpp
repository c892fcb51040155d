#include "payments/refunds.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "base/keys.hpp"
#include "base/rng.hpp"
#include "payments/sql.hpp"
#include "payments/sums.hpp"

namespace pawl::payments {
namespace {

Refund to_refund(const db::Row& row) {
    Refund refund;
    refund.id = row.str(0);
    refund.payment_id = row.str(1);
    refund.order_id = row.str(2);
    refund.n = static_cast<int>(row.number(3));
    refund.key = row.str(4);
    refund.state = parse_refund_state(row.text(5)).value();
    refund.note = row.maybe_text(6).value_or("");
    refund.amount = {row.number(7), Currency::parse(row.text(8)).value()};
    refund.reference = row.maybe_text(9).value_or("");
    refund.correlation_id = CorrelationId(row.str(10));
    refund.created_at = row.time(11);
    refund.updated_at = row.time(12);
    return refund;
}

std::optional<Refund> first_of(const db::Rows& rows) {
    if (rows.empty()) return std::nullopt;
    return to_refund(rows[0]);
}

std::optional<std::string> if_any(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
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
    // Everything is read after the lock: what the caller has seen may be older.
    find_order(transaction, payment.order_id, Lock::row);
    const auto current = find_payment(transaction, payment.id);
    if (!current || current->captured == 0) return NotRefundable{"payment_not_refundable"};
    const Sums sums = sum_up(*current, read_movements(transaction, *current));
    const std::int64_t left = refundable(*current, sums, refunds_of(transaction, payment.id));
    if (wanted.amount > left) return NotRefundable{"refund_exceeds_captured", left};

    const auto order_id = db::Params().text(payment.order_id);
    const auto n = transaction.run(sql::count_refund, order_id).only().number(0);
    db::Params params;
    params.text(wanted.id).text(payment.id).text(payment.order_id).number(n);
    params.text(refund_key(payment.order_id, static_cast<int>(n)));
    params.number(wanted.amount).text(current->amount.currency.code());
    params.text(wanted.correlation_id.str()).time(now);
    return to_refund(transaction.run(sql::insert_refund, params).only());
}

std::optional<Refund> find_refund(db::Transaction& transaction, const std::string& id) {
    return first_of(transaction.run(sql::find_refund, db::Params().text(id)));
}

std::optional<LockedRefund> lock_refund(db::Transaction& transaction, const std::string& id) {
    const auto found = find_refund(transaction, id);
    if (!found) return std::nullopt;
    auto payment = find_payment(transaction, found->payment_id, Lock::row).value();
    const auto refund_id = db::Params().text(id);
    return LockedRefund{to_refund(transaction.run(sql::lock_refund, refund_id).only()),
                        std::move(payment)};
}

std::vector<Refund> refunds_of(db::Transaction& transaction, const std::string& payment_id) {
    std::vector<Refund> all;
    for (const db::Row row : transaction.run(sql::refunds_of, db::Params().text(payment_id))) {
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
    db::Params params;
    params.text(after.id).text(to_text(before.state)).text(to_text(after.state));
    params.maybe_text(if_any(after.note)).maybe_text(if_any(after.reference)).time(now);
    params.number(after.amount.minor);
    if (transaction.run(sql::save_refund, params).affected() == 1) return;
    throw std::logic_error("refund " + before.id + " was read without its lock, and has moved");
}

}  // namespace pawl::payments
