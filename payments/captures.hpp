// Captures of an authorized payment, numbered by their payment, one at a time, and never above what
// is authorized. Inside the caller's transaction, on its thread.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "payments/payments.hpp"

namespace pawl::payments {

// A capture passes the states of a refund.
using CaptureState = RefundState;

struct Capture {
    std::string id;  // cap_...
    std::string payment_id;
    int n = 1;
    std::string key;  // capture:<order>:<attempt>:<n>
    CaptureState state = CaptureState::created;
    std::string note;
    std::int64_t amount = 0;  // in the payment's currency; captured, once succeeded
    bool final = true;        // the gateway releases what is left
    std::string reference;
    CorrelationId correlation_id;
    Time created_at, updated_at;
    bool operator==(const Capture&) const = default;
};

std::string new_capture_id();  // cap_..., at random

struct NewCapture {
    std::string id;
    std::optional<std::int64_t> amount;  // nullopt: all that is authorized
    bool final = true;
    CorrelationId correlation_id;
};
struct NotCapturable {
    // payment_not_capturable | cancel_accepted | capture_in_progress | capture_exceeds_authorized
    std::string code;
    std::int64_t left = 0;
};
// Allocates the next capture under the order's lock (taken here). A cancel that was accepted, a
// capture that has not ended, and an amount above what can be captured are refused.
std::variant<Capture, NotCapturable> allocate_capture(db::Transaction& transaction,
                                                      const Payment& payment,
                                                      const NewCapture& wanted, Time now);

std::optional<Capture> find_capture(db::Transaction& transaction, const std::string& id);
// Locks its order's row, its payment's, then its own.
struct LockedCapture {
    Capture capture;
    Payment payment;
};
std::optional<LockedCapture> lock_capture(db::Transaction& transaction, const std::string& id);
// A payment that is captured at once has none, and none are read.
std::vector<Capture> captures_of(db::Transaction& transaction, const Payment& payment);
// The capture of the payment that has not ended.
std::optional<Capture> capture_under_way(db::Transaction& transaction, const Payment& payment);
std::int64_t sum_of_succeeded(const std::vector<Capture>& captures);

bool advance(Capture& capture, CaptureState to);  // as of a payment
void save(db::Transaction& transaction, const Capture& before, const Capture& after, Time now);

}  // namespace pawl::payments
