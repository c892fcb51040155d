#include "payments/payments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "base/keys.hpp"
#include "base/rng.hpp"
#include "payments/sql.hpp"
#include "payments/sums.hpp"

namespace pawl::payments {
namespace {

Payment to_payment(const db::Row& row) {
    Payment payment;
    payment.id = row.str(0);
    payment.order_id = row.str(1);
    payment.attempt = static_cast<int>(row.number(2));
    payment.key = row.str(3);
    payment.gateway = row.str(4);
    payment.books = row.str(5);
    payment.state = parse_state(row.text(6)).value();
    payment.note = row.maybe_text(7).value_or("");
    payment.amount = {row.number(8), Currency::parse(row.text(9)).value()};
    payment.account = AccountId(row.str(10));
    payment.payment_method = row.maybe_text(11).value_or("");
    payment.reference = row.maybe_text(12).value_or("");
    payment.next_action = row.maybe_text(13).value_or("");
    payment.action_deadline = row.maybe_time(14);
    payment.captured = row.number(15);
    payment.overpaid = row.flag(16);
    payment.cancel_requested = row.flag(17);
    payment.correlation_id = CorrelationId(row.str(18));
    payment.created_at = row.time(19);
    payment.updated_at = row.time(20);
    payment.capturable = row.number(21);
    payment.returned = row.number(22);
    payment.capture_before = row.maybe_time(23);
    payment.manual_capture = row.flag(24);
    payment.customer = row.maybe_text(25).value_or("");
    payment.return_url = row.maybe_text(26).value_or("");
    payment.off_session = row.flag(27);
    return payment;
}

std::optional<Payment> first_of(const db::Rows& rows) {
    if (rows.empty()) return std::nullopt;
    return to_payment(rows[0]);
}

std::optional<std::string> if_any(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

// Two values of one payment, and whether the second may come after the first.
void check_move(const Payment& before, const Payment& after) {
    if (before.state == after.state || may_move(before.state, after.state)) return;
    throw std::logic_error(fmt::format("payment {} cannot go from {} to {}", before.id,
                                       to_text(before.state), to_text(after.state)));
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

void maybe_time(db::Params& params, const std::optional<Time>& time) {
    if (time) {
        params.time(*time);
    } else {
        params.null();
    }
}

}  // namespace

std::string new_payment_id() {
    constexpr std::size_t id_bytes = 15;
    SecureRng rng;
    return "pay_" + random_token(rng, id_bytes);
}

Allocated allocate(db::Transaction& transaction, const Order& order, const NewPayment& wanted,
                   Time now) {
    const auto order_id = db::Params().text(order.id);
    if (auto live = first_of(transaction.run(sql::live_payment, order_id))) {
        return InTheWay{std::move(*live)};
    }
    auto earlier = payments_of(transaction, order.id);
    const std::int64_t due = sum_up(order, earlier).due;
    if (due == 0) return InTheWay{std::move(captured_of(earlier))};
    if (wanted.amount > due) return MoreThanDue{due};
    const auto attempt = transaction.run(sql::count_attempt, order_id).only().number(0);
    db::Params params;
    params.text(wanted.id).text(order.id).number(attempt);
    params.text(payment_key(order.id, static_cast<int>(attempt)));
    params.text(order.gateway).text(wanted.books).number(wanted.amount == 0 ? due : wanted.amount);
    params.text(order.amount.currency.code()).text(order.account.str());
    params.maybe_text(if_any(wanted.payment_method)).text(wanted.correlation_id.str()).time(now);
    params.flag(wanted.manual_capture).maybe_text(if_any(wanted.customer));
    params.maybe_text(if_any(wanted.return_url)).flag(wanted.off_session);
    return to_payment(transaction.run(sql::insert_payment, params).only());
}

std::optional<Payment> find_payment(db::Transaction& transaction, const std::string& id,
                                    Lock lock) {
    const auto payment_id = db::Params().text(id);
    if (lock == Lock::none) return first_of(transaction.run(sql::find_payment, payment_id));
    transaction.run(sql::lock_order_of_payment, payment_id);
    return first_of(transaction.run(sql::lock_payment, payment_id));
}

std::optional<Payment> find_payment_by_key(db::Transaction& transaction, const std::string& key,
                                           Lock lock) {
    auto found = first_of(transaction.run(sql::find_payment_by_key, db::Params().text(key)));
    return !found || lock == Lock::none ? found : find_payment(transaction, found->id, lock);
}

std::vector<Payment> payments_of(db::Transaction& transaction, const std::string& order_id) {
    std::vector<Payment> all;
    for (const db::Row row : transaction.run(sql::payments_of, db::Params().text(order_id))) {
        all.push_back(to_payment(row));
    }
    return all;
}

std::optional<std::string> holder_of(db::Transaction& transaction, const Payment& payment,
                                     const std::string& reference) {
    const auto root = root_of(payment, reference);
    if (!root) return std::nullopt;
    const db::Rows rows = transaction.run(sql::holder_of_root, db::Params().text(*root));
    if (rows.empty() || rows[0].str(0) == payment.id) return std::nullopt;
    return rows[0].str(0);
}

bool advance(Payment& payment, State to) {
    if (payment.state == to || !may_move(payment.state, to)) return false;
    payment.state = to;
    return true;
}

void save(db::Transaction& transaction, const Payment& before, const Payment& after, Time now) {
    if (before == after) return;
    check_move(before, after);
    db::Params params;
    params.text(after.id).text(to_text(before.state)).text(to_text(after.state));
    params.maybe_text(if_any(after.note)).maybe_text(if_any(after.reference));
    params.maybe_text(if_any(after.next_action));
    maybe_time(params, after.action_deadline);
    params.number(after.captured).flag(after.overpaid).flag(after.cancel_requested).time(now);
    params.maybe_text(root_of(after, after.reference)).number(after.capturable);
    params.number(after.returned);
    maybe_time(params, after.capture_before);
    if (transaction.run(sql::save_payment, params).affected() != 1) {
        throw std::logic_error("payment " + before.id +
                               " was read without its lock, and has moved");
    }
    save_order(transaction, after.order_id);
}

}  // namespace pawl::payments
