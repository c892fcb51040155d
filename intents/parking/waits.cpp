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
                     const std::map<ledger::StreamKey, StreamReach>& streams, Waits& waits) {
    if (streams.empty()) return;
    Texts books, scopes;
    std::vector<std::int64_t> lowest;
    std::vector<std::optional<std::int64_t>> starts;
    for (const auto& [key, reach] : streams) {
        books.push_back(key.first);
        scopes.push_back(key.second);
        lowest.push_back(reach.lowest);
        starts.push_back(reach.start);
    }
    std::map<ledger::StreamKey, std::int64_t> counts;
    db::Params params;
    params.texts(books).texts(scopes).numbers(lowest).numbers(starts).number(releases_max);
    for (const db::Row row : transaction.run(sql::read_turn_waits, params)) {
        const ledger::StreamKey stream{row.str(0), row.str(1)};
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

std::map<ledger::StreamKey, StreamReach> less(
    const std::map<ledger::StreamKey, StreamReach>& all,
    const std::map<ledger::StreamKey, StreamReach>& known) {
    std::map<ledger::StreamKey, StreamReach> fresh;
    for (const auto& [key, reach] : all) {
        const auto found = known.find(key);
        if (found == known.end() || reach.lowest < found->second.lowest) fresh[key] = reach;
    }
    return fresh;
}

struct EffectColumns {
    Texts effects, providers, ids;
    std::vector<std::int64_t> segments;

    EffectColumns(const std::set<EffectWait>& waits, const Desk& desk) {
        for (const EffectWait& wait : waits) {
            effects.push_back(wait.effect.str());
            providers.push_back(wait.intent.first.str());
            ids.push_back(wait.intent.second.str());
            segments.push_back(desk.intents.at(wait.intent).segment);
        }
    }
    db::Params keys() const { return db::Params().texts(effects).texts(providers).texts(ids); }
};

struct TurnColumns {
    Texts books, scopes, providers, ids;
    std::vector<std::int64_t> sequences, segments;
    std::vector<bool> passed;

    void add(const std::set<TurnKey>& turns, const Desk& desk, bool are_passed) {
        for (const TurnKey& turn : turns) {
            books.push_back(turn.stream.first);
            scopes.push_back(turn.stream.second);
            sequences.push_back(turn.sequence.value);
            providers.push_back(turn.intent.first.str());
            ids.push_back(turn.intent.second.str());
            const auto intent = desk.intents.find(turn.intent);
            segments.push_back(intent == desk.intents.end() ? 0 : intent->second.segment);
            passed.push_back(are_passed);
        }
    }
    db::Params keys() const {
        return db::Params().texts(books).texts(scopes).numbers(sequences).texts(providers).texts(
            ids);
    }
};

void wake_the_rest(db::Transaction& transaction, const Desk& desk, Time now) {
    if (desk.waits.more_effects) {
        Texts posted;
        for (const ledger::Transfer* one : desk.book.new_transfers()) {
            posted.push_back(one->effect_key.str());
        }
        transaction.run(sql::wake_effect_waiters, db::Params().texts(posted).time(now));
    }
    if (!desk.waits.more_turns) return;
    Texts books, scopes;
    for (const auto& [key, stream] : desk.book.streams()) {
        if (!stream.touched) continue;
        books.push_back(key.first);
        scopes.push_back(key.second);
    }
    transaction.run(sql::wake_next_turns, db::Params().texts(books).texts(scopes).time(now));
}

}  // namespace

Waits read_waits(db::Transaction& transaction, const Reach& reach) {
    Waits waits;
    read_effect_waits(transaction, reach.posted, waits);
    read_turn_waits(transaction, reach.streams, waits);
    if (waits.effects.empty() && waits.turns.empty()) return waits;  // nearly always
    Reach known = reach;                                             // asked about already
    Reach wanted = reach;
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

void write_waits(db::Transaction& transaction, const Desk& desk, Time now) {
    if (!desk.gone_effect_waits.empty()) {
        const EffectColumns gone(desk.gone_effect_waits, desk);
        transaction.run(sql::delete_effect_waits, gone.keys());
    }
    if (!desk.new_effect_waits.empty()) {
        const EffectColumns added(desk.new_effect_waits, desk);
        transaction.run(sql::insert_effect_waits, added.keys().numbers(added.segments).time(now));
    }
    TurnColumns gone;
    gone.add(desk.gone_turns, desk, false);
    if (!gone.ids.empty()) transaction.run(sql::delete_turn_waits, gone.keys());
    TurnColumns added;
    added.add(desk.new_turn_waits, desk, false);
    added.add(desk.new_places, desk, true);
    if (!added.ids.empty()) {
        transaction.run(sql::insert_turn_waits,
                        added.keys().numbers(added.segments).flags(added.passed));
    }
    wake_the_rest(transaction, desk, now);
}

}  // namespace pawl::intents
