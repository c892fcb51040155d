#include "intents/accept/intent_columns.hpp"

#include "base/encoding.hpp"
#include "intents/accept/plan.hpp"

namespace pawl::intents {
void IntentColumns::add(const IntentKey& key, const Intent& intent) {
    const providers::Event& event = *intent.event;
    providers_.add(key.first.str());
    ids_.add(key.second.str());
    types_.add(event.type);
    statuses_.add(ledger::status_of(intent.outcome));
    outcomes_.add(ledger::to_text(intent.outcome));
    notes_.add_known(intent.note);
    bodies_.add(from_hex(intent.body_sha256).value_or(""));
    prints_.add(from_hex(intent.fingerprint).value_or(""));
    accounts_.add_known(event.movement ? event.movement->account.str() : event.account);
    objects_.add_known(event.object);
    correlations_.add(intent.origin.correlation_id.str());
    deliveries_.add(1 + intent.more_deliveries);
    fencing_tokens_.add(intent.fencing_token);
    segments_.add(intent.segment);
    sequences_.add(event.sequence ? std::optional(event.sequence->value) : std::nullopt);
    received_.add(intent.origin.received_at);
    wakes_.add(intent.wake_at);
    delivery_ids_.add(intent.origin.delivery_id);
    offsets_.add(static_cast<std::int64_t>(event.body_offset));
    lengths_.add(static_cast<std::int64_t>(event.body_size));
    add_movement(intent);
    const bool waits = intent.outcome == ledger::Outcome::pending ||
                       intent.outcome == ledger::Outcome::parked || intent.waits_for;
    plans_.add(waits ? std::optional(to_json(intent.origin.books, event)) : std::nullopt);
}

// What moved, where something did: of a total that is a part, and of a set balance a difference.
void IntentColumns::add_movement(const Intent& intent) {
    const auto& movement = intent.event->movement;
    if (!movement) {
        effects_.add_null();
        amounts_.add_null();
        currencies_.add_null();
        return;
    }
    effects_.add(movement->effect_key.str());
    amounts_.add(intent.moved.value_or(movement->amount.minor));
    currencies_.add(movement->amount.currency.code());
}

db::Params IntentColumns::to_insert(Time now, std::int64_t segment) {
    db::Params all;
    all.column(std::move(providers_))
        .column(std::move(ids_))
        .column(std::move(types_))
        .column(std::move(statuses_))
        .column(std::move(outcomes_));
    all.column(std::move(notes_))
        .column(std::move(deliveries_))
        .column(std::move(bodies_))
        .column(std::move(prints_))
        .column(std::move(accounts_));
    all.column(std::move(objects_))
        .column(std::move(sequences_))
        .column(std::move(effects_))
        .column(std::move(amounts_));
    all.column(std::move(currencies_))
        .column(std::move(correlations_))
        .column(std::move(received_))
        .column(std::move(plans_))
        .column(std::move(wakes_));
    all.column(std::move(delivery_ids_)).column(std::move(offsets_)).column(std::move(lengths_));
    return all.time(now).number(segment);
}

db::Params IntentColumns::to_finish(Time now) {
    db::Params all;
    all.column(std::move(providers_))
        .column(std::move(ids_))
        .column(std::move(types_))
        .column(std::move(statuses_))
        .column(std::move(outcomes_));
    all.column(std::move(notes_))
        .column(std::move(accounts_))
        .column(std::move(objects_))
        .column(std::move(sequences_))
        .column(std::move(effects_));
    all.column(std::move(amounts_))
        .column(std::move(currencies_))
        .column(std::move(plans_))
        .column(std::move(wakes_))
        .time(now);
    return all.column(std::move(fencing_tokens_)).column(std::move(segments_));
}

}  // namespace pawl::intents
