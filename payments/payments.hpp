// Payments: attempts to have an order paid, and their states. Inside the caller's transaction, on
// its thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/money.hpp"
#include "db/session.hpp"
#include "payments/orders.hpp"
#include "payments/state.hpp"

namespace pawl::payments {

struct Payment {
    std::string id;  // pay_...
    std::string order_id;
    int attempt = 1;
    std::string key;  // pay:<order>:<attempt>
    std::string gateway, books;
    State state = State::created;
    std::string note;
    Money amount;
    AccountId account;
    std::string payment_method;
    std::string reference;    // the gateway's own id
    std::string next_action;  // JSON; empty: nothing to do
    std::optional<Time> action_deadline;
    std::int64_t captured = 0;
    bool overpaid = false;
    bool cancel_requested = false;
    CorrelationId correlation_id;
    Time created_at, updated_at;
    bool operator==(const Payment&) const = default;
};

std::string new_payment_id();  // pay_..., at random

struct NewPayment {
    std::string id;
    std::string payment_method;
    std::string books;  // of the order's gateway
    CorrelationId correlation_id;
};
// Another payment of the order stands in the way: it is live, or it has been paid.
struct InTheWay {
    Payment payment;
};
// Allocates the next attempt under the order's lock (taken by find_order with Lock::row).
std::variant<Payment, InTheWay> allocate(db::Transaction& transaction, const Order& order,
                                         const NewPayment& wanted, Time now);

// Lock::row locks its order's row, then its own.
std::optional<Payment> find_payment(db::Transaction& transaction, const std::string& id,
                                    Lock lock = Lock::none);
std::optional<Payment> find_payment_by_key(db::Transaction& transaction, const std::string& key,
                                           Lock lock = Lock::none);
std::vector<Payment> payments_of(db::Transaction& transaction, const std::string& order_id);

// Moves the state where that is forward. False: it stays, as after a step that is repeated.
bool advance(Payment& payment, State to);
// Writes back everything that can change, if something has. The state moves forward only: a move
// that `may_move` forbids throws std::logic_error, because it is a bug of the caller's.
void save(db::Transaction& transaction, const Payment& before, const Payment& after, Time now);

}  // namespace pawl::payments
