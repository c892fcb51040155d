// The sandbox's objects, and their Stripe JSON. Plain values; pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace pawl::sandbox {

using Metadata = std::map<std::string, std::string>;

struct Intent {
    std::string id;
    std::int64_t amount = 0;  // as Stripe counts the currency
    std::string currency;     // lower case
    std::string status = "requires_confirmation";
    std::string payment_method;
    std::string latest_charge;
    std::string decline_code;   // code of the last payment error; empty: none
    bool manual = false;        // authorized first, and captured on request
    bool multicapture = false;  // in several parts
    std::int64_t capturable = 0;
    Time capture_before;
    std::int64_t received = 0;
    std::int64_t refunded = 0;  // pending ones included
    std::int64_t refund_done = 0;
    Metadata metadata;
    Time created;
};

struct Refund {
    std::string id;
    std::string payment_intent;
    std::string charge;
    std::int64_t amount = 0;
    std::string currency;
    std::string status = "succeeded";
    Metadata metadata;
    Time created;
};

// An event for the webhook receiver. Rendered once: the same event has the same bytes.
struct Event {
    std::string id;
    std::string body;
};

// `expanded`: its latest charge as an object.
std::string as_json(const Intent& intent, bool expanded = false);
std::string as_json(const Refund& refund);
std::string charge_as_json(const Intent& intent);
std::string event_as_json(const std::string& id, const std::string& type, const std::string& object,
                          Time now);

std::string list_as_json(const std::string& object, const std::string& url,
                         const std::vector<std::string>& items, bool has_more);

// {"error":{...}}; `intent` is JSON, or empty.
std::string error_as_json(const std::string& type, const std::string& code,
                          const std::string& message, const std::string& intent = {},
                          const std::string& decline_code = {});

}  // namespace pawl::sandbox
