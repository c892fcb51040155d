#include "payments/orders.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "payments/sql.hpp"
#include "payments/sums.hpp"

namespace pawl::payments {
namespace {

Order to_order(const db::Row& row) {
    Order order;
    order.id = row.str(0);
    order.amount = {row.number(1), Currency::parse(row.text(2)).value()};
    order.account = AccountId(row.str(3));
    order.gateway = row.maybe_text(4).value_or("");
    order.version = row.number(5);
    order.attempts = row.number(6);
    order.created_at = row.time(7);
    order.updated_at = row.time(8);
    return order;
}

db::Params content(const Order& wanted, Time now) {
    return db::Params()
        .text(wanted.id)
        .number(wanted.amount.minor)
        .text(wanted.amount.currency.code())
        .text(wanted.account.str())
        .maybe_text(wanted.gateway.empty() ? std::nullopt : std::optional(wanted.gateway))
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
    const auto payments = payments_of(transaction, wanted.id);
    const auto captured = sum_up(there, payments).captured;
    const bool other_currency = wanted.amount.currency != there.amount.currency;
    if (wanted.amount.minor < captured || (captured > 0 && other_currency)) {
        return {Put::below_captured, there};
    }
    const db::Rows changed = transaction.run(sql::change_order, content(wanted, now));
    save_order(transaction, wanted.id);
    return {Put::changed, to_order(changed.only())};
}

// It is part of the derived keys and stands in URLs and in the gateway's metadata.
constexpr std::size_t order_id_bytes_max = 128;
constexpr std::size_t account_bytes_max = 255;
constexpr std::size_t gateway_bytes_max = 64;

bool is_order_id(std::string_view id) {
    const auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    constexpr std::string_view others = "._:~@+=-";
    return !id.empty() && id.size() <= order_id_bytes_max && letter(id[0]) &&
           std::all_of(id.begin(), id.end(), [&](char c) {
               return letter(c) || others.find(c) != std::string_view::npos;
           });
}

Result<void> check_text(const char* name, std::string_view text, std::size_t bytes_max) {
    const bool plain = std::none_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    });
    if (plain && !text.empty() && text.size() <= bytes_max) return {};
    return invalid(fmt::format("\"{}\" is a string of 1 to {} bytes without control characters.",
                               name, bytes_max));
}

}  // namespace

Result<void> check_order_id(std::string_view id) {
    if (is_order_id(id)) return {};
    return invalid(
        "An order is named by 1 to 128 letters, digits and . _ : ~ @ + = -, and "
        "begins with a letter or digit.");
}

Result<void> check_order(const Order& wanted) {
    if (auto good = check_order_id(wanted.id); !good) return good;
    if (wanted.amount.minor <= 0) return invalid("\"amount\" is above zero.");
    if (auto good = check_text("account", wanted.account.str(), account_bytes_max); !good) {
        return good;
    }
    if (wanted.account.str().ends_with(":clearing")) {
        return invalid("\"account\" names a clearing account; those are the gateways' own.");
    }
    if (wanted.gateway.empty()) return {};
    return check_text("gateway", wanted.gateway, gateway_bytes_max);
}

bool asks_the_same(const Order& a, const Order& b) {
    return a.amount == b.amount && a.account == b.account && a.gateway == b.gateway;
}

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

void save_order(db::Transaction& transaction, const std::string& id) {
    const auto order = find_order(transaction, id);
    const OrderSums sums = sum_up(*order, payments_of(transaction, id));
    db::Params params;
    params.text(id).text(sums.state).number(sums.captured).number(sums.returned);
    transaction.run(sql::save_order, params);
}

}  // namespace pawl::payments
