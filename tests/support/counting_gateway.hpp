// A payment API inside the test: it charges by key, remembers keys for a set time, and counts the
// charges that it executed. A queue of faults, which the test fills, decides the result of each
// call. For one thread at a time, but for `during_send`.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "outbound/gateway.hpp"

namespace pawl::testing {

enum class Fault {
    none,
    timeout_before,  // not executed, and no response
    timeout_after,   // executed, and no response
    server_error,    // 500, not executed
    conflict,        // 409
    too_many,        // 429
    unauthorized,    // 401
    declined,
    requires_action,
    processing,    // executed, reported later
    stored_error,  // 500, not executed, and to be looked up instead of resent
    malformed,     // 400, and stored with its key: every resend is refused
};

class CountingGateway final : public outbound::Gateway {
  public:
    explicit CountingGateway(std::string name = "test");

    // Faults of the next sends, in this order; sends after them have none.
    std::deque<Fault> faults;
    bool down = false;
    std::optional<std::chrono::seconds> busy;  // a lookup is 503, with this as its Retry-After
    bool forgets_keys = false;                 // as after its horizon
    bool lookup_finds = true;                  // false: its search index lags
    bool lists_refunds = false;                // a lookup of a refund shows all of its order
    std::int64_t moves_less = 0;               // it moves less than requested
    bool names_amounts = true;                 // false: its answers leave out how much was moved
    bool declines_stay_open = false;           // until they are canceled
    std::optional<Time> capture_before;        // of its authorizations
    std::function<void()> during_send;
    bool answers_before_send = false;  // a lookup is answered before `during_send`

    struct Seen {
        std::string key, body;
    };
    std::vector<Seen> sends;                   // calls that change something, as they arrived
    std::vector<std::string> correlation_ids;  // of every call, questions included
    int lookups = 0;
    std::map<std::string, int> charges;  // executed, by our key
    std::map<std::string, int> refunds_done;
    std::map<std::string, int> captures_done;  // by the capture's key
    std::map<std::string, int> voids;

    const outbound::GatewayConfig& config() const override { return config_; }
    void report_captures(CaptureShape shape) { config_.captures = shape; }
    // "Not found" is final so long after a send; nullopt: never.
    void find_finally_after(std::optional<Duration> time) { config_.not_found_final_after = time; }
    std::size_t key_bytes_max() const override { return 255; }
    outbound::Call charge(const outbound::Charge& charge) const override;
    outbound::Call refund(const outbound::Refund& refund) const override;
    outbound::Call cancel(const std::string& reference) const override;
    outbound::Call capture(const outbound::Capture& capture) const override;
    outbound::Call find_charge(const std::string& key, const std::string& reference) const override;
    outbound::Call find_refund(const std::string& key, const std::string&) const override;
    outbound::Call find_charges_of(const std::string& order) const override;
    outbound::GatewayResult read_charge(const outbound::HttpResult& outcome, const std::string& key,
                                        bool in_doubt) const override;
    outbound::GatewayResult read_refund(const outbound::HttpResult& outcome, const std::string& key,
                                        bool in_doubt) const override;
    outbound::GatewayResult read_cancel(const outbound::HttpResult& outcome,
                                        const std::string& key) const override;
    outbound::GatewayResult read_capture(const outbound::HttpResult& outcome,
                                         const outbound::CaptureKeys& keys,
                                         bool in_doubt) const override;
    outbound::GatewayResult read_found_charge(const outbound::HttpResult& outcome,
                                              const std::string& key) const override;
    outbound::GatewayResult read_found_refund(const outbound::HttpResult& outcome,
                                              const std::string& key) const override;
    outbound::GatewayResult read_found_capture(const outbound::HttpResult& outcome,
                                               const outbound::CaptureKeys& keys) const override;
    outbound::HttpResult send(const outbound::Call& call, const std::string& key,
                              const CorrelationId& correlation_id,
                              const std::atomic<bool>* unwanted) const override;

    // Performs the payer's action when the gateway has requested one.
    void act(const std::string& key) {
        state_[key] = "succeeded";
        ++charges[key];
    }
    // A refund that was `processing` has come to its end.
    void finish_refund(const std::string& key) {
        state_[key] = "succeeded";
        ++refunds_done[key];
    }
    // As if the payer had acted.
    void authorize(const std::string& key, std::int64_t amount) {
        state_[key] = "authorized";
        authorizations_[key].left = amount;
    }
    // As the gateway's own dashboard does: no call of Pawl's.
    void capture_elsewhere(const std::string& key, std::int64_t amount, bool final);
    // Its time has passed; what was captured stays so.
    void expire(const std::string& key) { release(key); }
    std::int64_t captured_of(const std::string& key) { return authorizations_[key].captured; }
    int sends_of(const std::string& key) const;
    std::string reference_of(const std::string& key) const { return "ref_" + key; }

  private:
    outbound::HttpResult execute(const outbound::Call& call, const std::string& key);
    outbound::HttpReply capture(const std::string& body);
    void release(const std::string& key);
    outbound::HttpResult look(const outbound::Call& call);
    outbound::HttpReply list(const std::string& prefix) const;
    outbound::HttpReply reply(int status, const std::string& word, const std::string& key) const;

    struct Authorization {
        std::int64_t left = 0, captured = 0;
        std::string last;  // the key of the last capture that was executed
    };

    outbound::GatewayConfig config_;
    std::map<std::string, Authorization> authorizations_;  // by our key
    std::map<std::string, std::string> state_;             // by our key
    std::map<std::string, std::int64_t> amount_;           // by our key
    std::map<std::string, outbound::HttpReply> known_;     // answers by idempotency key
};

}  // namespace pawl::testing
