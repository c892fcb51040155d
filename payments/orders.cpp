#include "payments/orders.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "payments/sql.hpp"
#include "payments/sums.hpp"

namespace pawl::payments {
namespace {

Order to_order(const sql::OrderRow& row) {
    Order order;
    order.id = row.order_id();
    order.amount = {row.amount(), Currency::parse(row.currency()).value()};
    order.account = AccountId(std::string(row.account()));
    order.gateway = row.gateway().value_or("");
    order.version = row.version();
    order.attempts = row.attempts();
    order.created_at = row.created_at();
    order.updated_at = row.updated_at();
    return order;
}

std::optional<Order> first_of(const db::RowsOf<sql::OrderRow>& rows) {
    return rows.empty() ? std::nullopt : std::optional(to_order(rows[0]));
}

// Writes what the caller may choose of an order: a new one, or another version.
template <class Statement>
std::optional<Order> write(db::Transaction& transaction, const Order& wanted, Time now) {
    return first_of(transaction.run(Statement{.order_id = wanted.id,
                                              .amount = wanted.amount.minor,
                                              .currency = wanted.amount.currency.code(),
                                              .account = wanted.account.str(),
                                              .gateway = if_any(wanted.gateway),
                                              .now = now}));
}

PutResult change(db::Transaction& transaction, const Order& there, const Order& wanted,
                 std::optional<std::int64_t> if_match, Time now) {
    // Checked before the version, which is old at a client that retries after a lost response.
    if (asks_the_same(there, wanted)) return {Put::same, there};
    if (!if_match) return {Put::differs, there};
    if (*if_match != there.version) return {Put::version_differs, there};
    const auto live = transaction.run(sql::LivePayment{.order_id = wanted.id});
    if (!live.empty()) return {Put::payment_live, there};
    const OrderSums sums = sum_up(there, payments_of(transaction, wanted.id));
    const bool other_currency = wanted.amount.currency != there.amount.currency;
    if (wanted.amount.minor < sums.captured || (sums.captured > 0 && other_currency)) {
        return {Put::below_captured, there};
    }
    auto changed = write<sql::ChangeOrder>(transaction, wanted, now).value();
    update_order_sums(transaction, wanted.id);
    return {Put::changed, std::move(changed)};
}

// It is part of the derived keys and stands in URLs and in the gateway's metadata.
constexpr std::size_t order_id_bytes_max = 128;
constexpr std::size_t account_characters_max = 255;
constexpr std::size_t gateway_characters_max = 64;

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

// Counts characters of UTF-8, as the API's document does.
std::size_t characters_in(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

Result<void> check_text(const char* name, std::string_view text, std::size_t characters_max) {
    const bool plain = std::none_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    });
    if (plain && !text.empty() && characters_in(text) <= characters_max) return {};
    return invalid(
        fmt::format("\"{}\" is a string of 1 to {} characters, without control characters.", name,
                    characters_max));
}

}  // namespace

Result<void> check_order_id(std::string_view id) {
    if (is_order_id(id)) return {};
    return invalid(
        "order: invalid name; write 1 to 128 letters, digits and . _ : ~ @ + = -, a letter or "
        "digit "
        "first");
}

Result<void> check_order(const Order& wanted) {
    if (auto good = check_order_id(wanted.id); !good) return good;
    if (wanted.amount.minor <= 0)
        return invalid("amount: not above zero; write at least 1 minor unit");
    if (auto good = check_text("account", wanted.account.str(), account_characters_max); !good) {
        return good;
    }
    if (wanted.account.str().ends_with(":clearing")) {
        return invalid("account: a clearing account, which orders cannot credit; name another");
    }
    // Webhooks post to these by a rule's own word only: an order's payment could never settle.
    const std::string& account = wanted.account.str();
    if (account.starts_with("fees:") || account.starts_with("bank:")) {
        return invalid(
            "account: a system account (fees: or bank:), which orders cannot credit; name another");
    }
    if (wanted.gateway.empty()) return {};
    return check_text("gateway", wanted.gateway, gateway_characters_max);
}

bool asks_the_same(const Order& a, const Order& b) {
    return a.amount == b.amount && a.account == b.account && a.gateway == b.gateway;
}

std::optional<Order> find_order(db::Transaction& transaction, const std::string& id, Lock lock) {
    return first_of(lock == Lock::row ? transaction.run(sql::LockOrder{.order_id = id})
                                      : transaction.run(sql::FindOrder{.order_id = id}));
}

PutResult put_order(db::Transaction& transaction, const Order& wanted,
                    std::optional<std::int64_t> if_match, Time now) {
    if (const auto there = find_order(transaction, wanted.id, Lock::row)) {
        return change(transaction, *there, wanted, if_match, now);
    }
    if (if_match) return {Put::version_differs, wanted};  // of nothing there is no version
    const auto made = write<sql::InsertOrder>(transaction, wanted, now);
    if (made) return {Put::created, *made};
    // Another transaction inserted it between the two statements.
    return change(transaction, find_order(transaction, wanted.id, Lock::row).value(), wanted,
                  if_match, now);
}

void update_order_sums(db::Transaction& transaction, const std::string& id) {
    const auto order = find_order(transaction, id);
    const OrderSums sums = sum_up(*order, payments_of(transaction, id));
    transaction.run(sql::SaveOrder{
        .order_id = id, .state = sums.state, .captured = sums.captured, .returned = sums.returned});
}

}  // namespace pawl::payments
