#include "intents/accept/intent_columns.hpp"

#include "base/encoding.hpp"
#include "intents/accept/plan.hpp"

namespace pawl::intents {
namespace {

const std::string& account_of(const Intent& intent) {
    if (!intent.account.empty()) return intent.account.str();
    const auto& movements = intent.event->movements;
    return movements.empty() ? intent.event->account : movements.front().account.str();
}

}  // namespace

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
    accounts_.add_known(account_of(intent));
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
    results_.add_known(intent.result);
    const bool waits = intent.outcome == ledger::Outcome::pending ||
                       intent.outcome == ledger::Outcome::parked || intent.waits_for;
    plans_.add(waits ? std::optional(to_json(intent.origin.books, event)) : std::nullopt);
}

// Adds the amount that moved: of a running total the new part, of a set balance the difference.
void IntentColumns::add_movement(const Intent& intent) {
    if (intent.event->movements.empty()) {
        effects_.add_null();
        amounts_.add_null();
        currencies_.add_null();
        return;
    }
    const providers::Movement& movement = intent.event->movements.front();
    const EffectKey& posted = intent.effect_key;
    effects_.add(posted.empty() ? movement.effect_key.str() : posted.str());
    amounts_.add(intent.moved.value_or(movement.amount.minor));
    currencies_.add(movement.amount.currency.code());
}

sql::InsertIntents IntentColumns::to_insert(Time now, std::int64_t segment) {
    return {.provider = std::move(providers_),
            .event_id = std::move(ids_),
            .event_type = std::move(types_),
            .status = std::move(statuses_),
            .outcome = std::move(outcomes_),
            .note = std::move(notes_),
            .deliveries = std::move(deliveries_),
            .body_sha256 = std::move(bodies_),
            .fingerprint = std::move(prints_),
            .account = std::move(accounts_),
            .object = std::move(objects_),
            .sequence = std::move(sequences_),
            .effect_key = std::move(effects_),
            .amount = std::move(amounts_),
            .currency = std::move(currencies_),
            .correlation_id = std::move(correlations_),
            .received_at = std::move(received_),
            .plan = std::move(plans_),
            .wake_at = std::move(wakes_),
            .delivery_id = std::move(delivery_ids_),
            .item_offset = std::move(offsets_),
            .item_length = std::move(lengths_),
            .now = now,
            .segment = segment,
            .result = std::move(results_)};
}

sql::FinishIntents IntentColumns::to_finish(Time now) {
    return {.provider = std::move(providers_),
            .event_id = std::move(ids_),
            .event_type = std::move(types_),
            .status = std::move(statuses_),
            .outcome = std::move(outcomes_),
            .note = std::move(notes_),
            .account = std::move(accounts_),
            .object = std::move(objects_),
            .sequence = std::move(sequences_),
            .effect_key = std::move(effects_),
            .amount = std::move(amounts_),
            .currency = std::move(currencies_),
            .plan = std::move(plans_),
            .wake_at = std::move(wakes_),
            .now = now,
            .lease = std::move(fencing_tokens_),
            .segment = std::move(segments_),
            .result = std::move(results_)};
}

}  // namespace pawl::intents
