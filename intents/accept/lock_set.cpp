#include "intents/accept/lock_set.hpp"

#include <algorithm>

#include "base/keys.hpp"
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

void LockSet::add_key(const EffectKey& key) {
    effects.insert(key);
    posted.insert(key);
    if (is_stem(key)) return;
    for (EffectKey& met : needs_met_by(key)) {
        effects.insert(met);
        posted.insert(std::move(met));
    }
}

void LockSet::add_side(const AccountId& account, const Currency& currency,
                       const std::vector<EffectKey>& needs) {
    if (ledger::is_clearing(account)) return;
    if (!account.empty()) {
        balances.insert({account, currency});
    } else if (!needs.empty()) {
        needed_accounts.insert({needs.front(), currency});
    }
}

void LockSet::add_needs(const std::vector<EffectKey>& needs, bool may_be_ignored) {
    effects.insert(needs.begin(), needs.end());
    if (may_be_ignored && !needs.empty()) returned.insert(needs.front());
}

void LockSet::add(const ProviderName& provider, const std::string& books,
                  const providers::Event& event) {
    intents.insert({provider, event.event_id});
    if (takes_place(event)) add_stream(books, event);
    if (event.movements.empty()) return;
    add_movements(event);
    for (const providers::FormerKey& one : event.formerly) {
        providers::Event former = event;
        providers::use_former(former, one);
        add_movements(former);
    }
}

void LockSet::add_movements(const providers::Event& event) {
    for (const providers::Movement& movement : event.movements) {
        add_key(movement.effect_key);
        if (movement.is_total) totals.insert(movement.effect_key);
        if (movement.kind == providers::Action::debit) debited.insert(movement.effect_key);
        add_side(movement.account, movement.amount.currency, event.needs);
    }
    add_needs(event.needs, event.unmet == providers::Unmet::ignore);
}

void LockSet::add(const ledger::Entry& entry) {
    for (const ledger::Movement& movement : entry.movements) {
        add_key(movement.effect_key);
        if (movement.amount_is == ledger::AmountIs::total) totals.insert(movement.effect_key);
        if (movement.kind == ledger::Kind::debit) debited.insert(movement.effect_key);
        add_side(movement.account, movement.amount.currency, entry.needs);
        if (!movement.against.empty()) add_side(movement.against, movement.amount.currency, {});
    }
    add_needs(entry.needs, entry.unmet == ledger::Unmet::ignore);
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
           includes(balances, other.balances) && includes(needed_accounts, other.needed_accounts);
}

LockSet lock_set_of(const Batch& batch) {
    LockSet lock_set;
    for (const Submission* submission : batch) {
        for (const providers::Event& event : submission->events) {
            lock_set.add(submission->provider, submission->books, event);
            // An operator's skip of a gap moves the stream from any position.
            const bool skips = submission->resumed && submission->resumed->overrides.skip_sequence;
            if (skips && takes_place(event)) {
                lock_set.streams[{submission->books, event.sequence_rule.scope}].lowest = INT64_MIN;
            }
        }
    }
    return lock_set;
}

}  // namespace pawl::intents
