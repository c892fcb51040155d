// In-memory state of one accepting transaction: the intents that it touches, by key, the parked
// events that it may release, and its part of the books. Knows no SQL. Owned by one transaction of
// one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "intents/accept/submission.hpp"
#include "jobs/stage.hpp"
#include "ledger/book.hpp"
#include "ledger/outcome.hpp"
#include "workflows/engine/runs.hpp"

namespace pawl::intents {

using IntentKey = std::pair<ProviderName, EventId>;

// An order of keys that compares the ids first: the events of a batch are of few providers.
struct IdsFirst {
    bool operator()(const IntentKey& a, const IntentKey& b) const {
        const auto ids = a.second <=> b.second;
        return ids != 0 ? ids < 0 : a.first < b.first;
    }
};
using IntentKeys = std::set<IntentKey, IdsFirst>;

// Where an event comes from, whether it has just arrived or has been waiting.
struct Origin {
    ProviderName provider;
    std::string books;
    CorrelationId correlation_id;
    Time received_at;
    std::optional<std::int64_t> delivery_id{};  // delivery that this batch stores
};

// An intent as it is known: read from the database, or made by this very batch.
struct Intent {
    ledger::Outcome outcome = ledger::Outcome::pending;
    std::string note;
    std::string fingerprint;
    std::string body_sha256;
    std::int64_t fencing_token = 0;
    bool leased = false;  // another worker holds an unexpired lease: do not process

    bool stored = false;       // has a row already
    std::int64_t segment = 0;  // that has the row, or will have it
    bool decided = false;      // this batch decided it: insert it, or finish the stored row
    std::int64_t more_deliveries = 0;
    Origin origin;  // source of this batch's decision; so the following
    const providers::Event* event = nullptr;
    std::optional<std::int64_t> moved;
    EffectKey effect_key;  // key of its first movement, as posted
    AccountId account;     // account of its first movement, if only the books name it
    std::string result;    // JSON: the effect keys, where there are several
    std::optional<Time> wake_at;
    // The effect that it is parked on, was parked on until it timed out, or would return; and from
    // when the deadline runs.
    std::optional<EffectKey> waits_for;
    Time waits_since;
};

struct TurnKey {
    ledger::SequenceKey stream;
    Sequence sequence;
    IntentKey intent;
    auto operator<=>(const TurnKey&) const = default;
};

struct EffectWait {
    EffectKey effect;
    IntentKey intent;
    auto operator<=>(const EffectWait&) const = default;
};

// A parked event with its effects. Without an event: a placeholder, which keeps the place of a
// sequence number.
struct Waiter {
    Origin origin;
    std::optional<providers::Event> event;
    std::int64_t segment = 0;  // that has its row
};

struct Waits {
    std::map<TurnKey, Waiter> turns;
    std::map<EffectWait, Waiter> effects;
    bool more_turns = false;  // than were read: the sweeper continues
    bool more_effects = false;
};

// The state of a dispute as an event reports it.
struct DisputeMark {
    std::string books, dispute_id;
    EffectKey payment_key;
    providers::Dispute state = providers::Dispute::none;
    Time at;
    CorrelationId correlation_id;
    ProviderName provider;
    EventId event_id;
};

// A payment of Pawl's own run that an event signals: the root and the account of its credits.
struct SignaledPayment {
    EffectKey root;
    AccountId account;
};

struct BatchContext {
    std::map<IntentKey, Intent, IdsFirst> intents;  // sorted, and so are the writes
    // Numbers of the deliveries that this batch stores: those with bytes that were not stored yet.
    std::map<const Submission*, std::int64_t> delivery_ids;
    std::set<ProviderName> paused;
    std::int64_t segment = 0;  // that takes new events
    ledger::Book book;
    std::vector<jobs::StagedJob> jobs;
    std::vector<workflows::NewRun> starts;
    std::vector<workflows::NewSignal> signals;
    std::set<std::string> unknown_signal_keys;  // keys of this batch that no run listens to
    std::map<std::string, SignaledPayment> signaled_payments;  // by their keys
    std::vector<DisputeMark> disputes;

    Waits waits;  // as they are in the database, less what this batch has released
    std::set<EffectWait> new_effect_waits, gone_effect_waits;
    std::set<TurnKey> new_turn_waits, new_places, gone_turns;
    // Events that this batch released, or moved to another key: the intents point to them until
    // everything is written.
    std::deque<providers::Event> released;
};

// The key under which an event is kept when its id is taken by other content: the id, and a tilde
// with the beginning of its fingerprint; with all of it where that key, too, is taken. No sender's
// id ends like that (providers/event.hpp).
EventId conflict_id(const providers::Event& event);
EventId long_conflict_id(const providers::Event& event);
bool is_conflict_id(const std::string& id, const std::string& fingerprint);

// Test and live events of one provider may have the same ids. The first one has the id; one of the
// other mode is stored under this key, so that a test event never takes the slot of live money.
// Returns nullopt if the other mode does not hold the id.
std::optional<EventId> id_beside_other_mode(const Intent& holder, const providers::Event& event);
EventId id_beside_other_mode(const providers::Event& event);

// The key under which an event is stored, as far as is known: its id, the key of the other mode, or
// that of a conflict.
struct Slot {
    EventId id;
    bool conflict = false;
};
Slot slot_of(const BatchContext& context, const ProviderName& provider,
             const providers::Event& event);

// Is it the same event again, and not another one under its id?
bool same_content(const Intent& intent, const providers::Event& event);

}  // namespace pawl::intents
