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
#include "base/keys.hpp"
#include "base/money.hpp"
#include "base/result.hpp"
#include "outbound/http_client.hpp"

namespace pawl::outbound {

// The time for which a gateway remembers an idempotency key, by the kind of call.
struct Horizon {
    Duration charge = std::chrono::hours(24);
    Duration capture = std::chrono::hours(24);
    Duration refund = std::chrono::hours(24);
};
// A gateway's response to a repeated key: the stored response of every call, of successful calls
// only (any other call is executed again), or the current state.
enum class Replays { all, success, latest };

struct GatewayConfig {
    std::string name;
    std::string books;
    CaptureShape captures = CaptureShape::one;  // as the provider file of its books says
    std::string kind = "stripe";                // stripe | adyen | generic
    std::string base_url;
    std::string api_key;
    Horizon horizon{};
    Replays replays = Replays::all;
    // "Not found" is final so long after the timeout of the last send (search indexes lag); zero:
    // at once; nullopt: never.
    std::optional<Duration> not_found_final_after{};
    Duration lease = std::chrono::seconds(30);  // lease of the runs that call it
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
    std::string payment_method{};  // empty: the gateway's default
    std::string customer{}, return_url{};
    bool off_session = false;
    bool manual_capture = false;  // authorized only
};

// The capture of an authorized payment. Its key goes into the payment's metadata, where a lookup
// finds the last one that was executed.
struct CaptureKeys {
    std::string payment;  // pay:<order>:<attempt>
    std::string capture;  // capture:<order>:<attempt>:<n>
};
struct Capture {
    CaptureKeys keys;
    std::string reference;  // of the payment at the gateway
    Money amount;
    bool final = true;  // the gateway releases what is left
};

struct Refund {
    std::string order;
    std::string key;        // refund:<order>:<n>
    std::string reference;  // gateway's id of the payment
    Money amount;
    std::string account;  // in the metadata, where the refund's webhook finds it
};

enum class GatewayOutcome {
    succeeded,
    declined,         // a final refusal
    requires_action,  // the payer must act first
    processing,       // received by the gateway, outcome still open
    authorized,       // something can be captured, and may have been captured already
    canceled,         // known, and canceled
    failed,           // known, and ended without effect (a refund that bounced)
    refused,          // not executed: the same call may be made again after a remedy
    not_found,        // answer to a lookup only
    foreign,          // the object there carries another key: it is not this call's
    unknown,          // everything else: it may or may not have been executed
};

struct PayerAction {
    std::string type, redirect_url, client_secret;
};

// An object that an answer lists besides the one that was asked for.
struct FoundObject {
    std::string key;  // Pawl's, in the metadata; empty: none
    std::string reference;
    GatewayOutcome ending = GatewayOutcome::unknown;
};

struct GatewayResult {
    GatewayOutcome ending = GatewayOutcome::unknown;
    int status = 0;                   // HTTP status; 0: none
    std::string reference;            // the gateway's own id
    std::optional<Money> moved;       // amount moved, as the gateway reports it; of captures: all
                                      // of the payment's
    std::optional<Money> capturable;  // amount that can still be captured
    std::optional<Time> capture_before;  // when the authorization expires
    std::string note;                    // the reason, for display: a decline code, a timeout
    std::optional<PayerAction> action;   // action required of the payer
    std::optional<std::chrono::milliseconds> retry_after;
    // For `refused`: false if the same bytes would be refused again. For `unknown`: false if the
    // gateway's answer shows that resending is useless (a stored 500): look it up instead.
    bool may_retry = true;
    bool replayed = false;              // given to an earlier send of the same key
    bool open_there = false;            // `declined`, but may yet be executed unless it is canceled
    std::string body;                   // as it came
    std::vector<FoundObject> others{};  // of a list; also where it lacks the object asked for
};

class Gateway {
  public:
    virtual ~Gateway() = default;

    virtual const GatewayConfig& config() const = 0;
    // Longest idempotency key that the gateway takes; a longer key is sent as a UUIDv5 of its text.
    virtual std::size_t key_bytes_max() const = 0;

    virtual Call charge(const Charge& charge) const = 0;
    virtual Call refund(const Refund& refund) const = 0;
    virtual Call cancel(const std::string& reference) const = 0;
    virtual Call capture(const Capture& capture) const = 0;
    // By the gateway's id if it is known, else by Pawl's key in the metadata. Shows what was
    // captured of it, too.
    virtual Call find_charge(const std::string& key, const std::string& reference) const = 0;
    virtual Call find_refund(const std::string& key,
                             const std::string& payment_reference) const = 0;
    // All charges of an order, by the order's id in the metadata. Read by read_found_charge.
    virtual Call find_charges_of(const std::string& order) const = 0;

    // Interprets the answer to a call. `in_doubt`: an earlier send of it may have been executed, so
    // only success or a final refusal is believed.
    // `key`: of the charge or refund; an object that carries another one is foreign.
    virtual GatewayResult read_charge(const HttpResult& outcome, const std::string& key,
                                      bool in_doubt) const = 0;
    virtual GatewayResult read_refund(const HttpResult& outcome, const std::string& key,
                                      bool in_doubt) const = 0;
    virtual GatewayResult read_cancel(const HttpResult& outcome, const std::string& key) const = 0;
    virtual GatewayResult read_capture(const HttpResult& outcome, const CaptureKeys& keys,
                                       bool in_doubt) const = 0;
    virtual GatewayResult read_found_charge(const HttpResult& outcome,
                                            const std::string& key) const = 0;
    virtual GatewayResult read_found_refund(const HttpResult& outcome,
                                            const std::string& key) const = 0;
    // The answer to find_charge, read for a capture. `not_found`: the payment can still be
    // captured, and this capture was not executed.
    virtual GatewayResult read_found_capture(const HttpResult& outcome,
                                             const CaptureKeys& keys) const = 0;

    // Sends it, with the idempotency key where there is one. The correlation id relates the logs of
    // both sides; no answer depends on it. `unwanted`: as in HttpRequest.
    virtual HttpResult send(const Call& call, const std::string& key_sent,
                            const CorrelationId& correlation_id = {},
                            const std::atomic<bool>* unwanted = nullptr) const = 0;
};

Result<std::unique_ptr<Gateway>> make_gateway(GatewayConfig config);

}  // namespace pawl::outbound
