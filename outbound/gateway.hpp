// A payment API, as workflows use it: it builds requests as plain bytes, which are committed before
// they are sent, and reduces answers to a GatewayResult. Knows no database and keeps no state.
// Immutable after construction; safe from every thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/money.hpp"
#include "base/result.hpp"
#include "outbound/http_client.hpp"

namespace pawl::outbound {

struct GatewayConfig {
    std::string name;
    std::string books;
    std::string kind = "stripe";  // stripe | adyen | generic
    std::string base_url;
    std::string api_key;
    Duration key_horizon = std::chrono::hours(24);  // lifetime of an idempotency key
    std::chrono::milliseconds timeout{10000};
    int max_in_flight = 32;
    int max_per_second = 0;  // 0: no limit
    bool allow_private = false;
};

// A request to a gateway. Its bytes are pinned with the key, and resent unchanged.
struct Call {
    std::string method;
    std::string path;  // and query, below base_url
    std::string content_type;
    std::string body;
    bool operator==(const Call&) const = default;
};

struct Charge {
    std::string order;
    int attempt = 1;
    std::string key;  // pay:<order>:<attempt>; also in the metadata, where a lookup finds it
    Money amount;
    std::string account;
    std::string payment_method;  // empty: the gateway's default
};

struct Refund {
    std::string order;
    std::string key;        // refund:<order>:<n>
    std::string reference;  // of the payment at the gateway
    Money amount;
    std::string account;  // in the metadata, where the refund's webhook finds it
};

enum class GatewayOutcome {
    succeeded,
    declined,         // a final refusal
    requires_action,  // the payer must act first
    processing,       // received by the gateway, outcome still open
    canceled,         // known, and canceled
    failed,           // known, and ended without effect (a refund that bounced)
    refused,          // not executed: the same call may be made again after a remedy
    not_found,        // of a lookup
    unknown,          // unknown: it may or may not have been executed
};

struct GatewayResult {
    GatewayOutcome ending = GatewayOutcome::unknown;
    int status = 0;              // of HTTP; 0: none
    std::string reference;       // the gateway's id
    std::optional<Money> moved;  // the amount it reports as moved
    std::string note;            // the reason, for display: a decline code, a timeout
    std::string next_action;     // JSON: the payer's next step
    std::optional<std::chrono::milliseconds> retry_after;
    // For `refused`: false if the same bytes would be refused again. For `unknown`: false if the
    // gateway's answer shows that resending is useless (a stored 500): look it up instead.
    bool may_retry = true;
    std::string body;  // as it came
};

class Gateway {
  public:
    virtual ~Gateway() = default;

    virtual const GatewayConfig& config() const = 0;
    // Longest idempotency key that the gateway takes; a longer key is sent as a UUIDv5 of its text.
    virtual std::size_t key_bytes_max() const = 0;
    // Whether "not found" proves absence (search indexes lag).
    virtual bool lookup_is_authoritative() const = 0;

    virtual Call charge(const Charge& charge) const = 0;
    virtual Call refund(const Refund& refund) const = 0;
    virtual Call cancel(const std::string& reference) const = 0;
    // By the gateway's id if it is known, else by Pawl's key in the metadata.
    virtual Call find_charge(const std::string& key, const std::string& reference) const = 0;
    virtual Call find_refund(const std::string& key,
                             const std::string& payment_reference) const = 0;

    // Interprets the answer to a call. `in_doubt`: an earlier send of it may have been executed, so
    // only success or a final refusal is believed.
    virtual GatewayResult read_charge(const HttpResult& outcome, bool in_doubt) const = 0;
    virtual GatewayResult read_refund(const HttpResult& outcome, bool in_doubt) const = 0;
    virtual GatewayResult read_cancel(const HttpResult& outcome) const = 0;
    virtual GatewayResult read_found_charge(const HttpResult& outcome,
                                            const std::string& key) const = 0;
    virtual GatewayResult read_found_refund(const HttpResult& outcome,
                                            const std::string& key) const = 0;

    // Sends it, with the idempotency key where there is one. The correlation id relates the logs of
    // both sides; no answer depends on it. `unwanted`: as in HttpRequest.
    virtual HttpResult send(const Call& call, const std::string& key_sent,
                            const CorrelationId& correlation_id = {},
                            const std::atomic<bool>* unwanted = nullptr) const = 0;
};

Result<std::unique_ptr<Gateway>> make_gateway(GatewayConfig config);

}  // namespace pawl::outbound
