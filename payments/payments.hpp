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
    std::int64_t capturable = 0;  // authorized, and not captured yet
    std::int64_t returned = 0;
    std::string customer, return_url;  // passed to the gateway, as off_session is
    bool off_session = false;
    bool manual_capture = false;           // authorized first, and captured on request
    std::optional<Time> capture_before{};  // when the authorization expires
    bool operator==(const Payment&) const = default;
};

std::string new_payment_id();  // pay_..., at random

struct NewPayment {
    std::string id;
    std::string payment_method;
    std::string books;  // of the order's gateway
    CorrelationId correlation_id;
    std::optional<std::int64_t> amount{};  // nullopt: all that is due
    std::string customer{}, return_url{};
    bool off_session = false;
    bool manual_capture = false;
};
// Another payment of the order stands in the way: it is not closed, or it left nothing due.
struct InTheWay {
    Payment payment;
};
struct MoreThanDue {
    std::int64_t due = 0;
};
// Allocates the next attempt under the order's lock (taken by find_order with Lock::row).
using Allocated = std::variant<Payment, InTheWay, MoreThanDue>;
Allocated allocate(db::Transaction& transaction, const Order& order, const NewPayment& wanted,
                   Time now);

// Lock::row locks its order's row, then its own.
std::optional<Payment> find_payment(db::Transaction& transaction, const std::string& id,
                                    Lock lock = Lock::none);
std::optional<Payment> find_payment_by_key(db::Transaction& transaction, const std::string& key,
                                           Lock lock = Lock::none);
// The payment whose movements are posted under this root.
std::optional<Payment> find_payment_by_root(db::Transaction& transaction, const std::string& root,
                                            Lock lock = Lock::none);
std::vector<Payment> payments_of(db::Transaction& transaction, const std::string& order_id);

// The other payment that holds the gateway's id `reference` in the payment's books.
std::optional<std::string> holder_of(db::Transaction& transaction, const Payment& payment,
                                     const std::string& reference);

// Returns whether the payment can no longer be executed or captured at the gateway: the order may
// have another one.
bool is_closed(const Payment& payment);
// Returns the authorized amount that is not in the books yet; a capture made elsewhere counts.
std::int64_t left_to_capture(const Payment& payment);

// Moves the state if `may_move` permits it. Returns false if not, as after a repeated step.
bool advance(Payment& payment, State to);
// Writes back everything that can change, if something has, and the sums of its order, if they
// follow. A move that `may_move` forbids throws std::logic_error, because it is a bug of the
// caller's.
void save(db::Transaction& transaction, const Payment& before, const Payment& after, Time now);

}  // namespace pawl::payments
