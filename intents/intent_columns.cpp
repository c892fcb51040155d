#include "intents/intent_columns.hpp"

#include "intents/plan.hpp"

namespace pawl::intents {

void IntentColumns::add(const IntentKey& key, const Intent& intent) {
    const providers::Event& event = *intent.event;
    providers_.push_back(key.first.str());
    ids_.push_back(key.second.str());
    types_.push_back(event.type);
    statuses_.emplace_back(ledger::status_of(intent.outcome));
    outcomes_.emplace_back(ledger::to_text(intent.outcome));
    notes_.push_back(intent.note);
    bodies_.push_back(intent.body_sha256);
    prints_.push_back(intent.fingerprint);
    accounts_.push_back(event.account);
    objects_.push_back(event.object);
    correlations_.push_back(intent.origin.correlation_id.str());
    deliveries_.push_back(1 + intent.more_deliveries);
    leases_.push_back(intent.lease);
    sequences_.push_back(event.sequence ? std::optional(event.sequence->value) : std::nullopt);
    received_.push_back(intent.origin.received_at);
    wakes_.push_back(intent.wake_at);
    add_movement(intent);
    const bool waits =
        intent.outcome == ledger::Outcome::pending || intent.outcome == ledger::Outcome::parked;
    plans_.push_back(waits ? std::optional(to_json(intent.origin.reporter.books, event))
                           : std::nullopt);
}

// What moved, where something did: of a total that is a part, and of a set balance a difference.
void IntentColumns::add_movement(const Intent& intent) {
    const auto& movement = intent.event->movement;
    if (!movement) {
        effects_.emplace_back();
        amounts_.emplace_back();
        currencies_.emplace_back();
        return;
    }
    accounts_.back() = movement->account.str();
    effects_.emplace_back(movement->effect_key.str());
    amounts_.emplace_back(intent.moved.value_or(movement->amount.minor));
    currencies_.emplace_back(movement->amount.currency.str());
}

db::Params IntentColumns::to_insert(Time now) const {
    db::Params all;
    all.texts(providers_).texts(ids_).texts(types_).texts(statuses_).texts(outcomes_);
    all.texts(notes_).numbers(deliveries_).texts(bodies_).texts(prints_).texts(accounts_);
    all.texts(objects_).numbers(sequences_).texts(effects_).numbers(amounts_);
    all.texts(currencies_).texts(correlations_).times(received_).texts(plans_).times(wakes_);
    return all.time(now);
}

db::Params IntentColumns::to_finish(Time now) const {
    db::Params all;
    all.texts(providers_).texts(ids_).texts(types_).texts(statuses_).texts(outcomes_);
    all.texts(notes_).texts(accounts_).texts(objects_).numbers(sequences_).texts(effects_);
    all.numbers(amounts_).texts(currencies_).texts(plans_).times(wakes_).time(now);
    return all.numbers(leases_);
}

}  // namespace pawl::intents
