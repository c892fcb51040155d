// Orders: what the merchant wants paid. Inside the caller's transaction, on its thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/money.hpp"
#include "base/result.hpp"
#include "db/session.hpp"

namespace pawl::payments {

struct Order {
    std::string id;
    Money amount;
    AccountId account;
    std::string gateway;  // empty: it is paid elsewhere
    std::int64_t version = 1;
    std::int64_t attempts = 0;
    Time created_at, updated_at;
};

// Validates an order from any source; the error states the fault.
Result<void> check_order_id(std::string_view id);
Result<void> check_order(const Order& wanted);
// The same amount, account and gateway.
bool asks_the_same(const Order& a, const Order& b);

enum class Lock { none, row };
std::optional<Order> find_order(db::Transaction& transaction, const std::string& id,
                                Lock lock = Lock::none);

enum class Put { created, same, changed, differs, version_differs, payment_live, below_captured };
struct PutResult {
    Put put = Put::created;
    Order order;  // as it is now
};
// `if_match`: the version that the caller has seen; a change needs it.
PutResult put_order(db::Transaction& transaction, const Order& wanted,
                    std::optional<std::int64_t> if_match, Time now);

// Stores the sums of its payments, for other programs. Under the order's lock.
void update_order_sums(db::Transaction& transaction, const std::string& id);

}  // namespace pawl::payments
