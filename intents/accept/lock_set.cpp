#include "intents/accept/lock_set.hpp"

#include <algorithm>

#include "intents/accept/entries.hpp"

namespace pawl::intents {
namespace {

template <class Set>
bool includes(const Set& all, const Set& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

bool includes(const std::map<ledger::SequenceKey, StreamRange>& all,
              const std::map<ledger::SequenceKey, StreamRange>& some) {
    return std::all_of(some.begin(), some.end(),
                       [&all](const auto& one) { return all.contains(one.first); });
}

}  // namespace

template <class Movement>
void LockSet::add_movement(const Movement& movement) {
    posted.insert(movement.effect_key);
    effects.insert(movement.effect_key);
    effects.insert(movement.needs.begin(), movement.needs.end());
    if (ledger::is_clearing(movement.account)) return;
    balances.insert({movement.account, movement.amount.currency});
}

void LockSet::add(const ProviderName& provider, const std::string& books,
                  const providers::Event& event) {
    intents.insert({provider, event.event_id});
    if (takes_place(event)) add_stream(books, event);
    if (!event.movement) return;
    add_movement(*event.movement);
    if (event.movement->is_total) {
        totals.insert({books, event.object, event.movement->amount.currency});
    }
}

void LockSet::add(const ledger::Entry& entry) {
    const ledger::Movement& movement = entry.movement;
    add_movement(movement);
    if (movement.against.empty() || ledger::is_clearing(movement.against)) return;
    balances.insert({movement.against, movement.amount.currency});
}

void LockSet::add_stream(const std::string& books, const providers::Event& event) {
    const auto& start = event.sequence_rule.start;
    const StreamRange mine{event.sequence->value,
                           start ? std::optional(start->value) : std::nullopt};
    auto& stream = streams.try_emplace({books, event.sequence_rule.scope}, mine).first->second;
    stream.lowest = std::min(stream.lowest, mine.lowest);
}

void LockSet::add(const Waits& waits) {
    for (const auto& [key, waiter] : waits.turns) {
        if (waiter.event) add(waiter.origin.provider, waiter.origin.books, *waiter.event);
    }
    for (const auto& [key, waiter] : waits.effects) {
        add(waiter.origin.provider, waiter.origin.books, *waiter.event);
    }
}

bool LockSet::covers(const LockSet& other) const {
    return includes(intents, other.intents) && includes(effects, other.effects) &&
           includes(streams, other.streams) && includes(totals, other.totals) &&
           includes(balances, other.balances);
}

LockSet lock_set_of(const Batch& batch) {
    LockSet lock_set;
    for (const Submission* submission : batch) {
        for (const providers::Event& event : submission->events) {
            lock_set.add(submission->provider, submission->books, event);
            // An operator who skips a gap moves the stream from wherever it is.
            const bool skips = submission->resumed && submission->resumed->overrides.skip_sequence;
            if (skips && takes_place(event)) {
                lock_set.streams[{submission->books, event.sequence_rule.scope}].lowest = INT64_MIN;
            }
        }
    }
    return lock_set;
}

}  // namespace pawl::intents
