#include "intents/parking/waits.hpp"

#include "intents/accept/plan.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// Returns nullopt if the plan cannot be read: the sweeper quarantines such an event, and it must
// not keep out the events that meet its need.
template <class Row>
std::optional<Waiter> to_waiter(const Row& row, const IntentKey& intent) {
    Waiter waiter;
    waiter.origin.provider = intent.first;
    waiter.origin.correlation_id = CorrelationId(std::string(row.correlation_id()));
    waiter.origin.received_at = row.received_at();
    waiter.segment = row.segment();
    const auto stored = row.plan();
    if (!stored) return waiter;
    auto plan = plan_from_json(*stored);
    if (!plan) return std::nullopt;
    waiter.origin.books = plan->books;
    plan->event.event_id = intent.second;
    plan->event.type = row.event_type();
    plan->event.fingerprint = row.fingerprint();
    plan->event.body_sha256 = row.body_sha256();
    waiter.event = std::move(plan->event);
    return waiter;
}

void read_effect_waits(db::Transaction& transaction, const std::set<EffectKey>& keys,
                       Waits& waits) {
    if (keys.empty()) return;
    db::Texts wanted;
    for (const EffectKey& key : keys) wanted.add(key.str());
    const auto rows = transaction.run(
        sql::ReadEffectWaits{.effect_key = std::move(wanted), .limit_rows = releases_max});
    for (const auto row : rows) {
        const IntentKey intent{ProviderName(std::string(row.provider())),
                               EventId(std::string(row.event_id()))};
        std::optional<Waiter> waiter = to_waiter(row, intent);
        if (!waiter) waits.more_effects = true;  // wakes it
        if (!waiter || !waiter->event) continue;
        waits.effects[{EffectKey(std::string(row.effect_key())), intent}] = std::move(*waiter);
    }
    if (rows.size() == releases_max) waits.more_effects = true;
}

void read_turn_waits(db::Transaction& transaction,
                     const std::map<ledger::SequenceKey, StreamRange>& streams, Waits& waits) {
    if (streams.empty()) return;
    db::Texts books, scopes;
    db::Numbers lowest, starts;
    for (const auto& [key, lock_set] : streams) {
        books.add(key.first);
        scopes.add(key.second);
        lowest.add(lock_set.lowest);
        starts.add(lock_set.start);
    }
    std::map<ledger::SequenceKey, std::int64_t> counts;
    for (const auto row : transaction.run(sql::ReadTurnWaits{.books = std::move(books),
                          .scope = std::move(scopes),
                          .lowest = std::move(lowest),
                          .start = std::move(starts),
                          .waits_max = releases_max})) {
        const ledger::SequenceKey stream{std::string(row.books()), std::string(row.scope())};
        const IntentKey intent{ProviderName(std::string(row.provider())),
                               EventId(std::string(row.event_id()))};
        if (++counts[stream] == releases_max) waits.more_turns = true;
        std::optional<Waiter> waiter = to_waiter(row, intent);
        if (!waiter) {
            waits.more_turns = true;  // wakes it
            continue;
        }
        if (row.passed()) waiter->event.reset();
        waits.turns[{stream, Sequence{row.sequence()}, intent}] = std::move(*waiter);
    }
}

std::set<EffectKey> less(const std::set<EffectKey>& all, const std::set<EffectKey>& known) {
    std::set<EffectKey> fresh;
    for (const EffectKey& key : all) {
        if (!known.contains(key)) fresh.insert(key);
    }
    return fresh;
}

std::map<ledger::SequenceKey, StreamRange> less(
    const std::map<ledger::SequenceKey, StreamRange>& all,
    const std::map<ledger::SequenceKey, StreamRange>& known) {
    std::map<ledger::SequenceKey, StreamRange> fresh;
    for (const auto& [key, lock_set] : all) {
        const auto found = known.find(key);
        if (found == known.end() || lock_set.lowest < found->second.lowest) fresh[key] = lock_set;
    }
    return fresh;
}

struct EffectColumns {
    db::Texts effects, providers, ids;
    db::Numbers segments;

    EffectColumns(const std::set<EffectWait>& waits, const BatchContext& context) {
        for (const EffectWait& wait : waits) {
            effects.add(wait.effect.str());
            providers.add(wait.intent.first.str());
            ids.add(wait.intent.second.str());
            segments.add(context.intents.at(wait.intent).segment);
        }
    }
};

struct TurnColumns {
    db::Texts books, scopes, providers, ids;
    db::Numbers sequences, segments;
    db::Flags passed;

    void add(const std::set<TurnKey>& turns, const BatchContext& context, bool are_passed) {
        for (const TurnKey& turn : turns) {
            books.add(turn.stream.first);
            scopes.add(turn.stream.second);
            sequences.add(turn.sequence.value);
            providers.add(turn.intent.first.str());
            ids.add(turn.intent.second.str());
            const auto intent = context.intents.find(turn.intent);
            segments.add(intent == context.intents.end() ? 0 : intent->second.segment);
            passed.add(are_passed);
        }
    }
};

void wake_the_rest(db::Transaction& transaction, const BatchContext& context, Time now) {
    if (context.waits.more_effects) {
        db::Texts posted;
        for (const ledger::Transfer* one : context.book.new_transfers()) {
            posted.add(one->effect_key.str());
        }
        transaction.run(sql::WakeEffectWaiters{.effect_key = std::move(posted), .now = now});
    }
    if (!context.waits.more_turns) return;
    db::Texts books, scopes;
    for (const auto& [key, stream] : context.book.streams()) {
        if (!stream.touched) continue;
        books.add(key.first);
        scopes.add(key.second);
    }
    transaction.run(
        sql::WakeNextTurns{.books = std::move(books), .scope = std::move(scopes), .now = now});
}

}  // namespace

Waits read_waits(db::Transaction& transaction, const LockSet& lock_set) {
    Waits waits;
    read_effect_waits(transaction, lock_set.posted, waits);
    read_turn_waits(transaction, lock_set.streams, waits);
    if (waits.effects.empty() && waits.turns.empty()) return waits;  // the common case
    LockSet known = lock_set;                                        // asked about already
    LockSet wanted = lock_set;
    wanted.add(waits);
    while (static_cast<std::int64_t>(waits.effects.size() + waits.turns.size()) <
           2 * releases_max) {
        const auto effects = less(wanted.posted, known.posted);
        const auto streams = less(wanted.streams, known.streams);
        if (effects.empty() && streams.empty()) return waits;
        read_effect_waits(transaction, effects, waits);
        read_turn_waits(transaction, streams, waits);
        known = wanted;
        wanted.add(waits);
    }
    waits.more_effects = true;
    waits.more_turns = true;
    return waits;
}

void write_waits(db::Transaction& transaction, const BatchContext& context, Time now) {
    if (!context.gone_effect_waits.empty()) {
        EffectColumns gone(context.gone_effect_waits, context);
        transaction.run(sql::DeleteEffectWaits{.effect_key = std::move(gone.effects),
                                               .provider = std::move(gone.providers),
                                               .event_id = std::move(gone.ids)});
    }
    if (!context.new_effect_waits.empty()) {
        EffectColumns added(context.new_effect_waits, context);
        transaction.run(sql::InsertEffectWaits{.effect_key = std::move(added.effects),
                                               .provider = std::move(added.providers),
                                               .event_id = std::move(added.ids),
                                               .segment = std::move(added.segments),
                                               .since = now});
    }
    TurnColumns gone;
    gone.add(context.gone_turns, context, false);
    if (!gone.ids.empty()) {
        transaction.run(sql::DeleteTurnWaits{.books = std::move(gone.books),
                                             .scope = std::move(gone.scopes),
                                             .sequence = std::move(gone.sequences),
                                             .provider = std::move(gone.providers),
                                             .event_id = std::move(gone.ids)});
    }
    TurnColumns added;
    added.add(context.new_turn_waits, context, false);
    added.add(context.new_places, context, true);
    if (!added.ids.empty()) {
        transaction.run(sql::InsertTurnWaits{.books = std::move(added.books),
                                             .scope = std::move(added.scopes),
                                             .sequence = std::move(added.sequences),
                                             .provider = std::move(added.providers),
                                             .event_id = std::move(added.ids),
                                             .segment = std::move(added.segments),
                                             .passed = std::move(added.passed)});
    }
    wake_the_rest(transaction, context, now);
}

}  // namespace pawl::intents
