#include "intents/accept/holders.hpp"

#include "base/keys.hpp"

namespace pawl::intents {

Holders::Holders(const Batch& batch, const BatchContext& context) : book_(context.book) {
    for (const Submission* submission : batch) {
        for (const providers::Event& event : submission->events) add(event);
    }
    for (const auto& [wait, waiter] : context.waits.effects) {
        if (waiter.event) add(*waiter.event);
    }
    for (const auto& [turn, waiter] : context.waits.turns) {
        if (waiter.event) add(*waiter.event);
    }
}

void Holders::add(const providers::Event& event) {
    for (const providers::Movement& movement : event.movements) {
        movable_.push_back({movement.effect_key, movement.account, event.needs});
    }
}

std::set<AccountId> Holders::of(const EffectKey& need) const {
    std::set<AccountId> accounts;
    std::set<EffectKey> seen;
    collect(need, seen, accounts);
    return accounts;
}

void Holders::collect(const EffectKey& need, std::set<EffectKey>& seen,
                      std::set<AccountId>& into) const {
    if (!seen.insert(need).second) return;
    if (const ledger::Transfer* met = book_.met_by(need)) into.insert(book_.holding_account(*met));
    for (const Movable& one : movable_) {
        if (!meets(one.key, need)) continue;
        if (!one.account.empty()) into.insert(one.account);
        if (one.account.empty() && !one.needs.empty()) collect(one.needs.front(), seen, into);
    }
}

}  // namespace pawl::intents
