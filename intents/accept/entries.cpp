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
    switch (action) {
        case Action::credit:
            return ledger::Kind::credit;
        case Action::debit:
            return ledger::Kind::debit;
        case Action::set_balance:
            return ledger::Kind::set_balance;
        case Action::ignore:
        case Action::start:
        case Action::signal:
            break;
    }
    return ledger::Kind::none;
}

}  // namespace

ledger::Ordering ordering_of(const providers::Event& event) {
    const providers::SequenceRule& rule = event.sequence_rule;
    return {policy_of(event.order), event.sequence, rule.scope, rule.start, rule.dense};
}

ledger::Entry entry_of(const Origin& origin, const providers::Event& event) {
    ledger::Entry entry{
        origin.books, {}, ordering_of(event), ledger::ByEvent{origin.provider, event.event_id}};
    if (!event.movement) return entry;
    const providers::Movement& movement = *event.movement;
    entry.movement = {kind_of(event.action), movement.account,
                      movement.amount,       movement.effect_key,
                      movement.needs,        movement.is_total ? event.object : ""};
    return entry;
}

}  // namespace pawl::intents
