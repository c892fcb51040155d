#include "intents/accept/entries.hpp"

namespace pawl::intents {
namespace {

using providers::Action;

ledger::OrderingPolicy policy_of(providers::OrderingPolicy order) {
    switch (order) {
        case providers::OrderingPolicy::hold:
            return ledger::OrderingPolicy::hold;
        case providers::OrderingPolicy::strict:
            return ledger::OrderingPolicy::strict;
        case providers::OrderingPolicy::late_ok:
            break;
    }
    return ledger::OrderingPolicy::late_ok;
}

ledger::Kind kind_of(Action action) {
    if (action == Action::set_balance) return ledger::Kind::set_balance;
    return action == Action::debit ? ledger::Kind::debit : ledger::Kind::credit;
}

}  // namespace

ledger::Ordering ordering_of(const providers::Event& event) {
    const providers::SequenceRule& rule = event.sequence_rule;
    return {policy_of(event.order), event.sequence, rule.scope, rule.start, rule.dense};
}

ledger::Entry entry_of(const Origin& origin, const providers::Event& event) {
    ledger::Entry entry{
        origin.books, {}, ordering_of(event), ledger::ByEvent{origin.provider, event.event_id}};
    if (event.movements.empty()) return entry;
    entry.movements.reserve(event.movements.size());
    for (const providers::Movement& movement : event.movements) {
        const auto is = movement.is_total ? ledger::AmountIs::total : ledger::AmountIs::delta;
        entry.movements.push_back(
            {kind_of(movement.kind), movement.account, movement.amount, movement.effect_key, is});
    }
    entry.needs = event.needs;
    entry.occurred_at = event.occurred_at;
    if (event.unmet == providers::Unmet::ignore) entry.unmet = ledger::Unmet::ignore;
    return entry;
}

}  // namespace pawl::intents
