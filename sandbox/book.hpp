// The charges and refunds that really happened: the reference of the tests. In memory under one
// mutex, and simple on purpose. It knows neither HTTP nor keys nor faults: its caller decides the
// outcome of a payment. Safe from every thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sandbox/objects.hpp"

namespace pawl::sandbox {

enum class Fate { succeeds, declined, requires_action, processing };

struct NewIntent {
    std::int64_t amount = 0;
    std::string currency;
    std::string payment_method;
    Metadata metadata;
    std::string key;  // from the metadata, or else the idempotency key; by_key counts it
    bool confirm = true;
    bool manual = false;
    bool multicapture = false;  // asked for, if available: it always is
    bool expanded = false;
};

struct NewCapture {
    std::string payment_intent;
    std::int64_t amount = 0;  // 0: all that can be captured
    bool final = true;
    Metadata metadata;
    std::string key;  // the metadata's, or else the idempotency key
};

struct NewRefund {
    std::string payment_intent;
    std::int64_t amount = 0;  // 0: the rest
    Metadata metadata;
    std::string key;
};

// An answer, and the events it causes.
struct Done {
    int status = 200;
    std::string body;
    std::string id;  // the changed objects; empty if none
    std::vector<Event> events;
};

class Book {
  public:
    // `percent` of the amount is received where it succeeds.
    Done create(const NewIntent& wanted, Fate fate, int percent, Time now);
    Done confirm(const std::string& id, Fate fate, int percent, Time now);
    Done cancel(const std::string& id, Time now);
    // Captures an authorization or a part of it. `percent` of the amount is received.
    Done capture(const NewCapture& wanted, Fate fate, int percent, Time now);
    // Ends the authorizations whose time has passed; what was captured stays so.
    std::vector<Event> expire(Time now);
    // A payment that is processing, declined too early, or canceled meanwhile, succeeds.
    std::vector<Event> settle(const std::string& id, Time now);

    Done create_refund(const NewRefund& wanted, Fate fate, Time now);
    std::vector<Event> settle_refund(const std::string& id, Time now);

    Done find(const std::string& id, bool expanded = false) const;
    Done find_refund(const std::string& id) const;
    // Newest first, at most `limit`; those made after `indexed_until` are not found yet.
    Done search(const std::string& name, const std::string& value, Time indexed_until) const;
    Done list_refunds(const std::string& payment_intent, std::size_t limit) const;

    struct Moved {
        std::int64_t charged = 0;
        std::int64_t refunded = 0;
    };
    struct Counts {
        std::int64_t charges = 0;
        std::int64_t refunds = 0;
        std::int64_t authorizations = 0;
        std::int64_t voids = 0;
        std::map<std::string, std::int64_t> captures_by_key;
        std::map<std::string, std::int64_t> by_order;
        std::map<std::string, std::int64_t> by_key;
        std::map<std::string, std::int64_t> refunds_by_key;
        std::map<std::string, Moved> amounts;  // by currency
    };
    Counts counts() const;

  private:
    Done execute(Intent& intent, Fate fate, int percent, Time now, bool expanded = false);
    Event succeed(Intent& intent, int percent, Time now);
    Event authorize(Intent& intent, Time now);
    Event release(Intent& intent, const char* status, Time now);
    void receive(Intent& intent, std::int64_t amount);
    std::vector<Event> finish_refund(Refund& refund, Time now);

    mutable std::mutex mutex_;
    std::map<std::string, Intent> intents_;
    std::vector<std::string> order_;  // order in which the intents were made
    std::map<std::string, Refund> refunds_;
    std::vector<std::string> refund_order_;
    std::map<std::string, std::string> key_of_;  // key by the id of an intent or refund
    Counts counts_;
};

}  // namespace pawl::sandbox
