// Verified events, fully read, as plain values: the output of the provider stage. The folders above
// see neither headers nor signatures nor a provider's peculiarities. Values; no thread rules.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/money.hpp"

namespace pawl::providers {

using Headers = std::vector<std::pair<std::string, std::string>>;  // every line, in order, as sent

// One HTTP request as it arrived, before anything about it is believed.
struct Delivery {
    std::string method = "POST";
    std::string url;  // path and query as sent
    Headers headers;
    std::string body;
    Time received_at;
};

enum class Action { ignore, credit, debit, set_balance, start, signal };
enum class OrderingPolicy { late_ok, hold, strict };

// A rule's key of a movement, as a provider file writes it in `formerly`, and its reading.
struct KeyShape {
    std::string key;      // ["demo", "capture", "/payment_id"]
    std::string reading;  // credit delta minor
    auto operator<=>(const KeyShape&) const = default;
};

// A key of the event, and the one that an earlier version of its rule gave to the same effect.
struct FormerKey {
    EffectKey key;
    EffectKey former;
};

// One movement of an event, with everything that makes it this one and no other.
struct Movement {
    Action kind = Action::credit;  // credit, debit or set_balance
    AccountId account{};           // empty: the account that holds the event's first need
    Money amount{};
    EffectKey effect_key{};                   // <books>/<kind>/<id>
    bool is_total = false;                    // amount is the running total under the key
    std::shared_ptr<const KeyShape> shape{};  // recorded with the first posting under it
};

// The first movement of an event that is quarantined, as far as it can be read: an operator assigns
// the rest.
struct ReadablePart {
    Action kind = Action::credit;
    AccountId account{};
    std::optional<Money> amount{};
    EffectKey effect_key{};
    bool is_total = false;
};

enum class Unmet { park, ignore };
enum class Dispute { none, opened, won, lost };

// A rule's policy for the event's sequence number, which belongs to (books, scope).
struct SequenceRule {
    std::string scope;                            // account:NAME or object:NAME; empty: none
    std::optional<Sequence> start = Sequence{1};  // first of `hold`; nullopt: any
    Duration gap_deadline = std::chrono::hours(1);
    // Some rule of this provider holds, so its numbers have no gaps: every event takes its place.
    bool dense = false;
};

// The note of a test event where live mode is served.
inline constexpr const char* test_mode_note = "test_mode";

// One verified item. Either `quarantine` has a reason for operator action, or the rest is complete.
struct Event {
    // sha256:<hex of the item's bytes> where the id could not be read. An id that ends like the key
    // of a conflict, in ~ and 16 or more hex digits, has ~73656e7400000000 behind it.
    EventId event_id;
    std::string type;
    std::string object;
    std::string account;  // as read, for showing; money goes by movement.account
    std::optional<Sequence> sequence;
    std::string fingerprint;  // hex SHA-256 over the fields that were read, not over the body
    std::string
        quarantine;       // unreadable | no_rule | bad_amount | clearing_account | ...; empty: fine
    std::string refusal;  // only within a batch: this item alone is not authentic or not for us
                          // (not_for_us); it takes no slot. All of them: the delivery is refused

    std::string note;   // why the event is ignored although a rule would act on it (test_mode)
    bool live = false;  // the server is in live mode, and the event is not a test event

    Action action = Action::ignore;
    OrderingPolicy order = OrderingPolicy::late_ok;
    SequenceRule sequence_rule;
    std::string workflow;             // for start and signal
    EffectKey start_key;              // for start: what makes this start one and the same
    std::string signal_key;           // of the run to signal; empty: none
    std::vector<Movement> movements;  // posted together or not at all
    std::optional<ReadablePart> readable{};
    std::vector<EffectKey> needs;       // parked until each has been posted
    std::vector<FormerKey> formerly{};  // of its movements and of its needs
    Unmet unmet = Unmet::park;
    Duration needs_deadline = std::chrono::hours(72);
    std::optional<Time> occurred_at;  // by the provider's clock
    Dispute dispute = Dispute::none;  // marks the payment of the first need
    std::vector<std::string> jobs;

    std::string body_sha256;      // hex, of the item's bytes
    std::size_t body_offset = 0;  // where the item lies in Delivery::body
    std::size_t body_size = 0;
};

// The event with the former key in the place of the present one.
void use_former(Event& event, const FormerKey& former);

}  // namespace pawl::providers
