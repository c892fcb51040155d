#include "payments/payments.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "base/keys.hpp"
#include "base/rng.hpp"
#include "payments/sql.hpp"

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

}  // namespace

std::string new_payment_id() {
    constexpr std::size_t id_bytes = 15;
    SecureRng rng;
    return "pay_" + random_token(rng, id_bytes);
}

std::variant<Payment, InTheWay> allocate(db::Transaction& transaction, const Order& order,
                                         const NewPayment& wanted, Time now) {
    const auto order_id = db::Params().text(order.id);
    if (auto live = first_of(transaction.run(sql::live_payment, order_id))) {
        return InTheWay{std::move(*live)};
    }
    const auto attempt = transaction.run(sql::count_attempt, order_id).only().number(0);
    db::Params params;
    params.text(wanted.id).text(order.id).number(attempt);
    params.text(payment_key(order.id, static_cast<int>(attempt)));
    params.text(order.gateway).text(wanted.books).number(order.amount.minor);
    params.text(order.amount.currency.code()).text(order.account.str());
    params.maybe_text(if_any(wanted.payment_method)).text(wanted.correlation_id.str()).time(now);
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
    if (after.action_deadline) {
        params.time(*after.action_deadline);
    } else {
        params.null();
    }
    params.number(after.captured).flag(after.overpaid).flag(after.cancel_requested).time(now);
    params.maybe_text(
        after.reference.empty()
            ? std::nullopt
            : std::optional(make_effect_key(after.books, "capture", {after.reference}).str()));
    if (transaction.run(sql::save_payment, params).affected() == 1) return;
    throw std::logic_error("payment " + before.id + " was read without its lock, and has moved");
}

}  // namespace pawl::payments
