#include "intents/store.hpp"

#include <set>
#include <string_view>
#include <utility>

#include "intents/intent_columns.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// Long enough for any transaction to end by its own time-outs.
constexpr std::int64_t lease_seconds = 30;

void count_redeliveries(db::Transaction& transaction, const Desk& desk) {
    std::vector<std::string> providers, ids;
    std::vector<std::int64_t> more;
    for (const auto& [key, intent] : desk.intents) {
        if (!intent.stored || intent.more_deliveries == 0) continue;
        providers.push_back(key.first.str());
        ids.push_back(key.second.str());
        more.push_back(intent.more_deliveries);
    }
    if (ids.empty()) return;
    transaction.run(sql::count_redeliveries,
                    db::Params().texts(providers).texts(ids).numbers(more));
}

IntentColumns columns_of(const Desk& desk, bool stored) {
    IntentColumns columns;
    for (const auto& [key, intent] : desk.intents) {
        if (intent.decided && intent.stored == stored) columns.add(key, intent);
    }
    return columns;
}

void insert_intents(db::Transaction& transaction, const Desk& desk, Time now) {
    IntentColumns columns = columns_of(desk, false);
    if (!columns.empty()) transaction.run(sql::insert_intents, columns.to_insert(now));
}

void finish_intents(db::Transaction& transaction, const Desk& desk, Time now) {
    IntentColumns columns = columns_of(desk, true);
    if (columns.empty()) return;
    const auto finished = transaction.run(sql::finish_intents, columns.to_finish(now));
    if (finished.affected() != static_cast<std::int64_t>(columns.size())) {
        throw db::Failure(db::FailureKind::unique, "",
                          "an intent was taken over by somebody else since it was read");
    }
}

void read_by_key(db::Transaction& transaction, const IntentKeys& keys, Desk& desk) {
    if (keys.empty()) return;
    db::Texts providers, ids;
    for (const auto& [provider, id] : keys) {
        providers.add(provider.str());
        ids.add(id.str());
    }
    const auto params =
        db::Params().column(std::move(providers)).column(std::move(ids)).number(lease_seconds);
    for (const db::Row row : transaction.run(sql::read_intents, params)) {
        Intent& intent = desk.intents[{ProviderName(row.str(0)), EventId(row.str(1))}];
        intent.outcome = ledger::parse_outcome(row.text(2)).value();
        intent.note = row.str(3);
        intent.fingerprint = row.str(4);
        intent.body_sha256 = row.str(5);
        intent.lease = row.number(6);
        intent.leased = row.flag(7);
        if (!row.null(8)) {
            intent.waits_for = EffectKey(row.str(8));
            intent.waits_since = row.time(9);
        }
        intent.stored = true;
    }
}

// The keys that events get where theirs is taken by other content: looked for only where that is
// so, or where two of this batch have one id. They are under the lock of the id itself.
IntentKeys conflicts_in(const Batch& batch, const Desk& desk) {
    IntentKeys conflicts;
    std::set<std::pair<std::string_view, std::string_view>> seen;  // ids and their providers
    for (const Submission* submission : batch) {
        for (const providers::Event& event : submission->events) {
            const bool first =
                seen.insert({event.event_id.str(), submission->provider.str()}).second;
            if (first && desk.intents.empty()) continue;
            const auto stored = desk.intents.find({submission->provider, event.event_id});
            const bool held = stored != desk.intents.end();
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

void read_pauses(db::Transaction& transaction, Desk& desk) {
    for (const db::Row row : transaction.run(sql::paused_providers)) {
        desk.paused.insert(ProviderName(row.str(0)));
    }
}

}  // namespace

void lock(db::Transaction& transaction, const std::set<std::int64_t>& keys) {
    db::Numbers sorted;
    for (const std::int64_t key : keys) sorted.add(key);
    transaction.run(sql::lock, db::Params().column(std::move(sorted)));
}

void read_intents(db::Transaction& transaction, const Reach& reach, const Batch& batch,
                  Desk& desk) {
    // Before the waits: a pause that ends in between has moved them on, or is still seen.
    read_pauses(transaction, desk);
    read_by_key(transaction, reach.intents, desk);
    read_by_key(transaction, conflicts_in(batch, desk), desk);
}

void write_intents(db::Transaction& transaction, const Desk& desk, Time now) {
    insert_intents(transaction, desk, now);
    finish_intents(transaction, desk, now);
    count_redeliveries(transaction, desk);
}

}  // namespace pawl::intents
