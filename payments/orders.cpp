#include "payments/orders.hpp"

#include "payments/sql.hpp"

namespace pawl::payments {
namespace {

Order to_order(const db::Row& row) {
    Order order;
    order.id = row.str(0);
    order.amount = {row.number(1), Currency::parse(row.text(2)).value()};
    order.account = AccountId(row.str(3));
    order.gateway = row.str(4);
    order.version = row.number(5);
    order.attempts = row.number(6);
    order.created_at = row.time(7);
    order.updated_at = row.time(8);
    return order;
}

bool asks_the_same(const Order& a, const Order& b) {
    return a.amount == b.amount && a.account == b.account && a.gateway == b.gateway;
}

db::Params content(const Order& wanted, Time now) {
    return db::Params()
        .text(wanted.id)
        .number(wanted.amount.minor)
        .text(wanted.amount.currency.code())
        .text(wanted.account.str())
        .text(wanted.gateway)
        .time(now);
}

PutResult change(db::Transaction& transaction, const Order& there, const Order& wanted,
                 std::optional<std::int64_t> if_match, Time now) {
    // Asked before the version is: whoever repeats a change whose answer got lost has an old one.
    if (asks_the_same(there, wanted)) return {Put::same, there};
    if (!if_match) return {Put::differs, there};
    if (*if_match != there.version) return {Put::version_differs, there};
    const auto live = transaction.run(sql::live_payment, db::Params().text(wanted.id));
    if (!live.empty()) return {Put::payment_live, there};
    const db::Rows changed = transaction.run(sql::change_order, content(wanted, now));
    return {Put::changed, to_order(changed.only())};
}

}  // namespace

std::optional<Order> find_order(db::Transaction& transaction, const std::string& id, Lock lock) {
    const db::Query& query = lock == Lock::row ? sql::lock_order : sql::find_order;
    const db::Rows rows = transaction.run(query, db::Params().text(id));
    if (rows.empty()) return std::nullopt;
    return to_order(rows[0]);
}

PutResult put_order(db::Transaction& transaction, const Order& wanted,
                    std::optional<std::int64_t> if_match, Time now) {
    if (const auto there = find_order(transaction, wanted.id, Lock::row)) {
        return change(transaction, *there, wanted, if_match, now);
    }
    if (if_match) return {Put::version_differs, wanted};  // of nothing there is no version
    const db::Rows made = transaction.run(sql::insert_order, content(wanted, now));
    if (!made.empty()) return {Put::created, to_order(made[0])};
    // Somebody made it between the two statements.
    return change(transaction, find_order(transaction, wanted.id, Lock::row).value(), wanted,
                  if_match, now);
}

}  // namespace pawl::payments
