#include "payments/payments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "base/keys.hpp"
#include "base/rng.hpp"
#include "base/text.hpp"
#include "payments/sql.hpp"
#include "payments/sums.hpp"

namespace pawl::payments {
namespace {

Payment to_payment(const sql::PaymentRow& row) {
    Payment payment;
    payment.id = row.payment_id();
    payment.order_id = row.order_id();
    payment.attempt = row.attempt();
    payment.key = row.key();
    payment.gateway = row.gateway();
    payment.books = row.books();
    payment.state = parse_state(row.state()).value();
    payment.note = row.note().value_or("");
    payment.amount = {row.amount(), Currency::parse(row.currency()).value()};
    payment.account = AccountId(std::string(row.account()));
    payment.payment_method = row.payment_method().value_or("");
    payment.reference = row.reference().value_or("");
    payment.next_action = row.next_action().value_or("");
    payment.action_deadline = row.action_deadline();
    payment.captured = row.captured();
    payment.overpaid = row.overpaid();
    payment.cancel_requested = row.cancel_requested();
    payment.correlation_id = CorrelationId(std::string(row.correlation_id()));
    payment.created_at = row.created_at();
    payment.updated_at = row.updated_at();
    payment.capturable = row.capturable();
    payment.returned = row.returned();
    payment.customer = row.customer().value_or("");
    payment.return_url = row.return_url().value_or("");
    payment.off_session = row.off_session();
    payment.manual_capture = row.manual_capture();
    payment.capture_before = row.capture_before();
    return payment;
}

std::optional<Payment> first_of(const db::RowsOf<sql::PaymentRow>& rows) {
    if (rows.empty()) return std::nullopt;
    return to_payment(rows[0]);
}

// Two values of one payment, and whether the second may come after the first.
void check_move(const Payment& before, const Payment& after) {
    if (before.state == after.state || may_move(before.state, after.state)) return;
    throw std::logic_error(fmt::format("payment {} cannot go from {} to {}", before.id,
                                       to_text(before.state), to_text(after.state)));
}

// Whether the order's sums or its state may follow.
bool moves_order(const Payment& before, const Payment& after) {
    const auto counts = [](const Payment& payment) {
        return std::tuple(payment.captured, payment.returned, payment.state == State::disputed);
    };
    return counts(before) != counts(after);
}

// The last one that was captured: it left nothing due.
Payment& captured_of(std::vector<Payment>& payments) {
    const auto last = std::find_if(payments.rbegin(), payments.rend(),
                                   [](const Payment& one) { return one.captured > 0; });
    return *last;
}

std::optional<std::string> root_of(const Payment& payment, const std::string& reference) {
    if (reference.empty()) return std::nullopt;
    return make_effect_key(payment.books, "capture", {reference}).str();
}

}  // namespace

std::string new_payment_id() {
    constexpr std::size_t id_bytes = 15;
    SecureRng rng;
    return "pay_" + random_token(rng, id_bytes);
}

Allocated allocate(db::Transaction& transaction, const Order& order, const NewPayment& wanted,
                   Time now) {
    if (auto live = first_of(transaction.run(sql::LivePayment{.order_id = order.id}))) {
        return InTheWay{std::move(*live)};
    }
    auto earlier = payments_of(transaction, order.id);
    const std::int64_t due = sum_up(order, earlier).due;
    if (due == 0) return InTheWay{std::move(captured_of(earlier))};
    if (wanted.amount.value_or(due) > due) return MoreThanDue{due};
    const auto counted = transaction.run(sql::CountAttempt{.order_id = order.id});
    const int attempt = counted.only().attempts();
    const auto rows =
        transaction.run(sql::InsertPayment{.payment_id = wanted.id,
                                           .order_id = order.id,
                                           .attempt = attempt,
                                           .key = payment_key(order.id, attempt),
                                           .gateway = order.gateway,
                                           .books = wanted.books,
                                           .amount = wanted.amount.value_or(due),
                                           .currency = order.amount.currency.code(),
                                           .account = order.account.str(),
                                           .payment_method = if_any(wanted.payment_method),
                                           .correlation_id = wanted.correlation_id.str(),
                                           .now = now,
                                           .customer = if_any(wanted.customer),
                                           .return_url = if_any(wanted.return_url),
                                           .off_session = wanted.off_session,
                                           .manual_capture = wanted.manual_capture});
    return to_payment(rows.only());
}

std::optional<Payment> find_payment(db::Transaction& transaction, const std::string& id,
                                    Lock lock) {
    if (lock == Lock::none) {
        return first_of(transaction.run(sql::FindPayment{.payment_id = id}));
    }
    transaction.run(sql::LockOrderOfPayment{.payment_id = id});
    return first_of(transaction.run(sql::LockPayment{.payment_id = id}));
}

std::optional<Payment> find_payment_by_key(db::Transaction& transaction, const std::string& key,
                                           Lock lock) {
    auto found = first_of(transaction.run(sql::FindPaymentByKey{.key = key}));
    return !found || lock == Lock::none ? found : find_payment(transaction, found->id, lock);
}

std::vector<Payment> payments_of(db::Transaction& transaction, const std::string& order_id) {
    std::vector<Payment> all;
    for (const auto row : transaction.run(sql::PaymentsOf{.order_id = order_id})) {
        all.push_back(to_payment(row));
    }
    return all;
}

std::optional<std::string> holder_of(db::Transaction& transaction, const Payment& payment,
                                     const std::string& reference) {
    const auto root = root_of(payment, reference);
    if (!root) return std::nullopt;
    const auto rows = transaction.run(sql::HolderOfRoot{.payment_key = *root});
    if (rows.empty() || rows[0].payment_id() == payment.id) return std::nullopt;
    return std::string(rows[0].payment_id());
}

bool is_closed(const Payment& payment) {
    return is_final(payment.state) && payment.capturable == 0;
}

std::int64_t left_to_capture(const Payment& payment) {
    const std::int64_t left = payment.amount.minor - payment.captured;
    return std::max<std::int64_t>(0, std::min(payment.capturable, left));
}

bool advance(Payment& payment, State to) {
    if (payment.state == to || !may_move(payment.state, to)) return false;
    payment.state = to;
    return true;
}

void save(db::Transaction& transaction, const Payment& before, const Payment& after, Time now) {
    if (before == after) return;
    check_move(before, after);
    const auto saved =
        transaction.run(sql::SavePayment{.payment_id = after.id,
                                         .state_before = to_text(before.state),
                                         .state = to_text(after.state),
                                         .note = if_any(after.note),
                                         .reference = if_any(after.reference),
                                         .next_action = if_any(after.next_action),
                                         .action_deadline = after.action_deadline,
                                         .captured = after.captured,
                                         .overpaid = after.overpaid,
                                         .cancel_requested = after.cancel_requested,
                                         .now = now,
                                         .payment_key = root_of(after, after.reference),
                                         .capturable = after.capturable,
                                         .returned = after.returned,
                                         .capture_before = after.capture_before});
    if (saved.affected() != 1) {
        throw std::logic_error("payment " + before.id +
                               " was read without its lock, and has moved");
    }
    if (moves_order(before, after)) update_order_sums(transaction, after.order_id);
}

}  // namespace pawl::payments
