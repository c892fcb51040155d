// Everything that a batch may touch, by key: collected before the first statement, so that all
// locks can be taken at once and in order. Pure values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "intents/accept/batch_context.hpp"
#include "ledger/book.hpp"

namespace pawl::intents {

// From which number on a batch may move a stream. Where that is beyond the next number, nobody who
// waits in the stream can be released, and they need not be read.
struct StreamRange {
    std::int64_t lowest = 0;
    std::optional<std::int64_t> start;
};

struct LockSet {
    IntentKeys intents;  // by the ids that events claim; their conflicts have no other lock
    std::set<EffectKey> effects;  // that it may post, and that it needs
    std::set<EffectKey> posted;   // that it may post
    std::map<ledger::SequenceKey, StreamRange> streams;
    std::set<ledger::TotalKey> totals;
    std::set<ledger::BalanceKey> balances;

    void add(const ProviderName& provider, const std::string& books, const providers::Event& event);
    void add(const ledger::Entry& entry);     // that no event has caused
    void add(const Waits& waits);             // and what those will touch who are released
    bool covers(const LockSet& other) const;  // every lock that `other` needs is one of ours

  private:
    void add_stream(const std::string& books, const providers::Event& event);
    template <class Movement>  // of an event or of an entry
    void add_movement(const Movement& movement);
};

LockSet lock_set_of(const Batch& batch);

}  // namespace pawl::intents
