// Orders: what the merchant wants paid. Inside the caller's transaction, on its thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/money.hpp"
#include "db/session.hpp"

namespace pawl::payments {

struct Order {
    std::string id;
    Money amount;
    AccountId account;
    std::string gateway;
    std::int64_t version = 1;
    std::int64_t attempts = 0;
    Time created_at, updated_at;
};

enum class Lock { none, row };
std::optional<Order> find_order(db::Transaction& transaction, const std::string& id,
                                Lock lock = Lock::none);

enum class Put { created, same, changed, differs, version_differs, payment_live };
struct PutResult {
    Put put = Put::created;
    Order order;  // as it is now
};
// `if_match`: the version that the caller has seen; a change needs it.
PutResult put_order(db::Transaction& transaction, const Order& wanted,
                    std::optional<std::int64_t> if_match, Time now);

}  // namespace pawl::payments
