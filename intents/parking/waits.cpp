#include "intents/parking/waits.hpp"

#include "intents/accept/plan.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

using Texts = std::vector<std::string>;

// The columns from `at` on: plan, type, fingerprint, body hash, correlation id, time of receipt,
// segment.
// Nothing where the plan cannot be read: the sweeper gives such an event to a person, and it must
// not keep those out who bring what it waits for.
std::optional<Waiter> to_waiter(const db::Row& row, const IntentKey& intent, int at) {
    Waiter waiter;
    waiter.origin.provider = intent.first;
    waiter.origin.correlation_id = CorrelationId(row.str(at + 4));
    waiter.origin.received_at = row.time(at + 5);
    waiter.segment = row.number(at + 6);
    if (row.null(at)) return waiter;
    auto plan = plan_from_json(row.text(at));
    if (!plan) return std::nullopt;
    waiter.origin.books = plan->books;
    plan->event.event_id = intent.second;
    plan->event.type = row.str(at + 1);
    plan->event.fingerprint = row.str(at + 2);
    plan->event.body_sha256 = row.str(at + 3);
    waiter.event = std::move(plan->event);
    return waiter;
}

void read_effect_waits(db::Transaction& transaction, const std::set<EffectKey>& keys,
                       Waits& waits) {
    if (keys.empty()) return;
    db::Texts wanted;
    for (const EffectKey& key : keys) wanted.add(key.str());
    const db::Rows rows = transaction.run(
        sql::read_effect_waits, db::Params().column(std::move(wanted)).number(releases_max));
    for (const db::Row row : rows) {
        const IntentKey intent{ProviderName(row.str(1)), EventId(row.str(2))};
        std::optional<Waiter> waiter = to_waiter(row, intent, 3);
        if (!waiter) waits.more_effects = true;  // wakes it
        if (!waiter || !waiter->event) continue;
        waits.effects[{EffectKey(row.str(0)), intent}] = std::move(*waiter);
    }
    if (rows.size() == releases_max) waits.more_effects = true;
}

void read_turn_waits(db::Transaction& transaction,
                     const std::map<ledger::SequenceKey, StreamRange>& streams, Waits& waits) {
    if (streams.empty()) return;
    Texts books, scopes;
    std::vector<std::int64_t> lowest;
    std::vector<std::optional<std::int64_t>> starts;
    for (const auto& [key, lock_set] : streams) {
        books.push_back(key.first);
        scopes.push_back(key.second);
        lowest.push_back(lock_set.lowest);
        starts.push_back(lock_set.start);
    }
    std::map<ledger::SequenceKey, std::int64_t> counts;
    db::Params params;
    params.texts(books).texts(scopes).numbers(lowest).numbers(starts).number(releases_max);
    for (const db::Row row : transaction.run(sql::read_turn_waits, params)) {
        const ledger::SequenceKey stream{row.str(0), row.str(1)};
        const IntentKey intent{ProviderName(row.str(4)), EventId(row.str(5))};
        if (++counts[stream] == releases_max) waits.more_turns = true;
        std::optional<Waiter> waiter = to_waiter(row, intent, 6);
        if (!waiter) {
            waits.more_turns = true;  // wakes it
            continue;
        }
        if (row.flag(3)) waiter->event.reset();
        waits.turns[{stream, Sequence{row.number(2)}, intent}] = std::move(*waiter);
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
    Texts effects, providers, ids;
    std::vector<std::int64_t> segments;

    EffectColumns(const std::set<EffectWait>& waits, const BatchContext& context) {
        for (const EffectWait& wait : waits) {
            effects.push_back(wait.effect.str());
            providers.push_back(wait.intent.first.str());
            ids.push_back(wait.intent.second.str());
            segments.push_back(context.intents.at(wait.intent).segment);
        }
    }
    db::Params keys() const { return db::Params().texts(effects).texts(providers).texts(ids); }
};

struct TurnColumns {
    Texts books, scopes, providers, ids;
    std::vector<std::int64_t> sequences, segments;
    std::vector<bool> passed;

    void add(const std::set<TurnKey>& turns, const BatchContext& context, bool are_passed) {
        for (const TurnKey& turn : turns) {
            books.push_back(turn.stream.first);
            scopes.push_back(turn.stream.second);
            sequences.push_back(turn.sequence.value);
            providers.push_back(turn.intent.first.str());
            ids.push_back(turn.intent.second.str());
            const auto intent = context.intents.find(turn.intent);
            segments.push_back(intent == context.intents.end() ? 0 : intent->second.segment);
            passed.push_back(are_passed);
        }
    }
    db::Params keys() const {
        return db::Params().texts(books).texts(scopes).numbers(sequences).texts(providers).texts(
            ids);
    }
};

void wake_the_rest(db::Transaction& transaction, const BatchContext& context, Time now) {
    if (context.waits.more_effects) {
        Texts posted;
        for (const ledger::Transfer* one : context.book.new_transfers()) {
            posted.push_back(one->effect_key.str());
        }
        transaction.run(sql::wake_effect_waiters, db::Params().texts(posted).time(now));
    }
    if (!context.waits.more_turns) return;
    Texts books, scopes;
    for (const auto& [key, stream] : context.book.streams()) {
        if (!stream.touched) continue;
        books.push_back(key.first);
        scopes.push_back(key.second);
    }
    transaction.run(sql::wake_next_turns, db::Params().texts(books).texts(scopes).time(now));
}

}  // namespace

Waits read_waits(db::Transaction& transaction, const LockSet& lock_set) {
    Waits waits;
    read_effect_waits(transaction, lock_set.posted, waits);
    read_turn_waits(transaction, lock_set.streams, waits);
    if (waits.effects.empty() && waits.turns.empty()) return waits;  // nearly always
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
        const EffectColumns gone(context.gone_effect_waits, context);
        transaction.run(sql::delete_effect_waits, gone.keys());
    }
    if (!context.new_effect_waits.empty()) {
        const EffectColumns added(context.new_effect_waits, context);
        transaction.run(sql::insert_effect_waits, added.keys().numbers(added.segments).time(now));
    }
    TurnColumns gone;
    gone.add(context.gone_turns, context, false);
    if (!gone.ids.empty()) transaction.run(sql::delete_turn_waits, gone.keys());
    TurnColumns added;
    added.add(context.new_turn_waits, context, false);
    added.add(context.new_places, context, true);
    if (!added.ids.empty()) {
        transaction.run(sql::insert_turn_waits,
                        added.keys().numbers(added.segments).flags(added.passed));
    }
    wake_the_rest(transaction, context, now);
}

}  // namespace pawl::intents
