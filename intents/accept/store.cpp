#include "intents/accept/store.hpp"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "intents/accept/intent_columns.hpp"
#include "intents/accept/reread.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// Longer than the timeouts that end any transaction.
constexpr std::int64_t lease_seconds = 30;

void count_redeliveries(db::Transaction& transaction, const BatchContext& context) {
    db::Texts providers, ids;
    db::Numbers more, segments;
    for (const auto& [key, intent] : context.intents) {
        if (!intent.stored || intent.more_deliveries == 0) continue;
        providers.add(key.first.str());
        ids.add(key.second.str());
        more.add(intent.more_deliveries);
        segments.add(intent.segment);
    }
    if (ids.empty()) return;
    transaction.run(sql::CountRedeliveries{.provider = std::move(providers),
                                           .event_id = std::move(ids),
                                           .more = std::move(more),
                                           .segment = std::move(segments)});
}

IntentColumns columns_of(const BatchContext& context, bool stored) {
    IntentColumns columns;
    for (const auto& [key, intent] : context.intents) {
        if (intent.decided && intent.stored == stored) columns.add(key, intent);
    }
    return columns;
}

void insert_intents(db::Transaction& transaction, const BatchContext& context, Time now) {
    IntentColumns columns = columns_of(context, false);
    if (!columns.empty()) transaction.run(columns.to_insert(now, context.segment));
}

void finish_intents(db::Transaction& transaction, const BatchContext& context, Time now) {
    IntentColumns columns = columns_of(context, true);
    if (columns.empty()) return;
    const auto finished = transaction.run(columns.to_finish(now));
    if (finished.affected() != static_cast<std::int64_t>(columns.size())) {
        throw db::Failure(db::FailureKind::unique, "",
                          "an intent was claimed by another worker after it was read");
    }
}

// The segments of events that are known to be stored: of parked and of resumed ones.
using Places = std::map<IntentKey, std::int64_t>;

Places places_of(const Batch& batch, const Waits& waits) {
    Places places;
    for (const Submission* submission : batch) {
        if (!submission->resumed || submission->resumed->segment == 0) continue;
        for (const providers::Event& event : submission->events) {
            places.try_emplace({submission->provider, event.event_id},
                               submission->resumed->segment);
        }
    }
    for (const auto& [wait, waiter] : waits.effects) {
        places.try_emplace(wait.intent, waiter.segment);
    }
    for (const auto& [turn, waiter] : waits.turns) places.try_emplace(turn.intent, waiter.segment);
    return places;
}

// The columns of read_intents.sql.
struct Wanted {
    db::Texts providers, ids, maybe_providers, maybe_ids;
    db::Numbers maybe_segments;

    void add(const IntentKey& key, const Places& places, const KnownSegments& known) {
        const auto place = places.find(key);
        if (place != places.end()) return add_maybe(key, place->second);
        providers.add(key.first.str());
        ids.add(key.second.str());
        if (known.through == 0) return;
        const std::uint64_t hash = filter_hash(key);
        for (std::int64_t segment = 1; segment <= known.through; ++segment) {
            if (known.may_be_in(segment, hash)) add_maybe(key, segment);
        }
    }
    void add_maybe(const IntentKey& key, std::int64_t segment) {
        maybe_providers.add(key.first.str());
        maybe_ids.add(key.second.str());
        maybe_segments.add(segment);
    }
    sql::ReadIntents to_read(const KnownSegments& known) {
        return {.provider = std::move(providers),
                .event_id = std::move(ids),
                .lease_seconds = lease_seconds,
                .through = known.through,
                .token = known.token,
                .maybe_provider = std::move(maybe_providers),
                .maybe_event_id = std::move(maybe_ids),
                .maybe_segment = std::move(maybe_segments)};
    }
};

void read_by_key(db::Transaction& transaction, const IntentKeys& keys, const Places& places,
                 const KnownSegments& known, BatchContext& context) {
    if (keys.empty()) return;
    Wanted wanted;
    for (const IntentKey& key : keys) wanted.add(key, places, known);
    for (const auto row : transaction.run(wanted.to_read(known))) {
        Intent& intent = context.intents[{ProviderName(std::string(row.provider())),
                                          EventId(std::string(row.event_id()))}];
        const std::int64_t segment = row.segment();
        if (intent.stored && intent.segment <= segment) continue;  // the first one is the event
        intent.segment = segment;
        intent.outcome = ledger::parse_outcome(row.outcome()).value();
        intent.note = row.note();
        intent.fingerprint = row.fingerprint();
        intent.body_sha256 = row.body_sha256();
        intent.fencing_token = row.lease();
        intent.leased = row.leased();
        if (const auto effect = row.effect_key()) {
            intent.waits_for = EffectKey(std::string(*effect));
            intent.waits_since = row.since().value();
        }
        intent.stored = true;
    }
}

// The keys that events get where theirs is taken by other content: looked for only where that is
// so, or where two of this batch have one id. They are under the lock of the id itself.
IntentKeys conflicts_in(const Batch& batch, const BatchContext& context) {
    IntentKeys conflicts;
    std::set<std::pair<std::string_view, std::string_view>> seen;  // ids and their providers
    for (const Submission* submission : batch) {
        for (const providers::Event& event : submission->events) {
            const bool first =
                seen.insert({event.event_id.str(), submission->provider.str()}).second;
            if (first && context.intents.empty()) continue;
            const auto stored = context.intents.find({submission->provider, event.event_id});
            const bool held = stored != context.intents.end();
            const bool taken = held && (!same_content(stored->second, event) ||
                                        id_beside_other_mode(stored->second, event));
            if (!taken && first) continue;
            conflicts.insert({submission->provider, conflict_id(event)});
            conflicts.insert({submission->provider, long_conflict_id(event)});
            conflicts.insert({submission->provider, id_beside_other_mode(event)});
        }
    }
    return conflicts;
}

void read_circumstances(db::Transaction& transaction, BatchContext& context) {
    for (const auto row : transaction.run(sql::Circumstances{})) {
        if (const auto paused = row.paused_provider()) {
            context.paused.insert(ProviderName(std::string(*paused)));
        } else if (const auto segment = row.segment()) {
            context.segment = *segment;
        } else {
            throw db::Failure(db::FailureKind::permanent, "",
                              "segments: no segment takes new events; bring its rows back");
        }
    }
}

}  // namespace

void lock(db::Transaction& transaction, const std::set<std::int64_t>& keys) {
    db::Numbers sorted;
    for (const std::int64_t key : keys) sorted.add(key);
    transaction.run(sql::Lock{.key = std::move(sorted)});
}

void read_intents(db::Transaction& transaction, const LockSet& lock_set, const Batch& batch,
                  const KnownSegments& known, BatchContext& context) {
    // Before the waits: a pause that ends in between has moved them on, or is still seen.
    read_circumstances(transaction, context);
    const Places places = places_of(batch, context.waits);
    read_by_key(transaction, lock_set.intents, places, known, context);
    compare_by_todays_rules(transaction, batch, context);
    read_by_key(transaction, conflicts_in(batch, context), places, known, context);
}

void write_intents(db::Transaction& transaction, const BatchContext& context, Time now) {
    insert_intents(transaction, context, now);
    finish_intents(transaction, context, now);
    count_redeliveries(transaction, context);
}

}  // namespace pawl::intents
