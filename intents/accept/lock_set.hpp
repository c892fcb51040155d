// The keys that a batch may touch: collected before the first statement, so that all locks can be
// taken at once and in order. Pure values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "intents/accept/batch_context.hpp"
#include "ledger/book.hpp"

namespace pawl::intents {

// From which number on a batch may move a sequence. If that is beyond the next number, no event
// parked in the sequence can be released, and they need not be read.
struct StreamRange {
    std::int64_t lowest = 0;
    std::optional<std::int64_t> start;
};

// A need whose account a movement goes to or comes from.
struct NeededAccount {
    EffectKey need;
    Currency currency;
    auto operator<=>(const NeededAccount&) const = default;
};

struct LockSet {
    IntentKeys intents;  // by the ids that events claim; their conflicts have no other lock
    std::set<EffectKey> effects;   // that it may post, and that it needs
    std::set<EffectKey> posted;    // that it may post, and what those meet
    std::set<EffectKey> debited;   // those that a provider may have returned
    std::set<EffectKey> returned;  // needs of what may have nothing to return
    std::map<ledger::SequenceKey, StreamRange> streams;
    std::set<EffectKey> totals;
    std::set<ledger::BalanceKey> balances;
    std::set<NeededAccount> needed_accounts;  // accounts that only the books name

    void add(const ProviderName& provider, const std::string& books, const providers::Event& event);
    void add(const ledger::Entry& entry);     // an event's entry, or one without an event
    void add(const Waits& waits);             // parked events that may be released
    bool covers(const LockSet& other) const;  // contains every lock of `other`

  private:
    void add_stream(const std::string& books, const providers::Event& event);
    void add_movements(const providers::Event& event);
    void add_key(const EffectKey& key);
    void add_side(const AccountId& account, const Currency& currency,
                  const std::vector<EffectKey>& needs);
    void add_needs(const std::vector<EffectKey>& needs, bool may_be_ignored);
};

LockSet lock_set_of(const Batch& batch);

}  // namespace pawl::intents
