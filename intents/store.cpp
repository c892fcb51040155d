#include "intents/store.hpp"

#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// Long enough for any transaction to end by its own time-outs.
constexpr std::int64_t lease_seconds = 30;

template <class T>
using Column = std::vector<T>;
using Maybe = std::optional<std::string>;

// The columns of insert_intents.sql, filled row by row.
struct IntentColumns {
    Column<std::string> providers, ids, types, statuses, outcomes, notes, bodies, prints, objects,
        correlations;
    Column<std::int64_t> deliveries;
    Column<Maybe> accounts, effects, currencies;
    Column<std::optional<std::int64_t>> sequences, amounts;
    Column<Time> received;

    void add(const IntentKey& key, const Intent& intent) {
        const providers::Event& event = *intent.event;
        providers.push_back(key.first.str());
        ids.push_back(key.second.str());
        types.push_back(event.type);
        statuses.emplace_back(ledger::status_of(intent.outcome));
        outcomes.emplace_back(ledger::to_text(intent.outcome));
        notes.push_back(intent.note);
        deliveries.push_back(1 + intent.more_deliveries);
        bodies.push_back(intent.body_sha256);
        prints.push_back(intent.fingerprint);
        objects.push_back(event.object);
        sequences.push_back(event.sequence ? std::optional(event.sequence->value) : std::nullopt);
        add_movement(event);
        correlations.push_back(intent.submission->correlation_id.str());
        received.push_back(intent.submission->delivery.received_at);
    }

    void add_movement(const providers::Event& event) {
        if (!event.movement) {
            accounts.emplace_back();
            effects.emplace_back();
            amounts.emplace_back();
            currencies.emplace_back();
            return;
        }
        accounts.emplace_back(event.movement->account.str());
        effects.emplace_back(event.movement->effect_key.str());
        amounts.emplace_back(event.movement->amount.minor);
        currencies.emplace_back(event.movement->amount.currency.str());
    }

    db::Params params(Time now) const {
        db::Params all;
        all.texts(providers).texts(ids).texts(types).texts(statuses).texts(outcomes).texts(notes);
        all.numbers(deliveries).texts(bodies).texts(prints).texts(accounts).texts(objects);
        all.numbers(sequences).texts(effects).numbers(amounts).texts(currencies);
        return all.texts(correlations).times(received).time(now);
    }
};

void count_redeliveries(db::Transaction& transaction, const Desk& desk) {
    Column<std::string> providers, ids;
    Column<std::int64_t> more;
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

void insert_intents(db::Transaction& transaction, const Desk& desk, Time now) {
    IntentColumns columns;
    for (const auto& [key, intent] : desk.intents) {
        if (intent.decided && !intent.stored) columns.add(key, intent);
    }
    if (!columns.ids.empty()) transaction.run(sql::insert_intents, columns.params(now));
}

void finish_intents(db::Transaction& transaction, const Desk& desk, Time now) {
    Column<std::string> providers, ids, statuses, outcomes, notes;
    Column<std::int64_t> leases;
    for (const auto& [key, intent] : desk.intents) {
        if (!intent.decided || !intent.stored) continue;
        providers.push_back(key.first.str());
        ids.push_back(key.second.str());
        statuses.emplace_back(ledger::status_of(intent.outcome));
        outcomes.emplace_back(ledger::to_text(intent.outcome));
        notes.push_back(intent.note);
        leases.push_back(intent.lease);
    }
    if (ids.empty()) return;
    db::Params params;
    params.texts(providers).texts(ids).texts(statuses).texts(outcomes).texts(notes);
    const auto finished = transaction.run(sql::finish_intents, params.numbers(leases).time(now));
    if (finished.affected() != static_cast<std::int64_t>(ids.size())) {
        throw db::Failure(db::FailureKind::unique, "",
                          "an intent was taken over by somebody else since it was read");
    }
}

}  // namespace

void lock(db::Transaction& transaction, const std::set<std::int64_t>& keys) {
    const std::vector<std::int64_t> sorted(keys.begin(), keys.end());
    transaction.run(sql::lock, db::Params().numbers(sorted));
}

void read_intents(db::Transaction& transaction, const Batch& batch, Desk& desk) {
    std::set<IntentKey> keys;
    for (const Submission* submission : batch) {
        for (const providers::Event& event : submission->events) {
            for (auto& key : possible_keys(submission->provider, event)) keys.insert(key);
        }
    }
    Column<std::string> providers, ids;
    for (const auto& [provider, id] : keys) {
        providers.push_back(provider.str());
        ids.push_back(id.str());
    }
    const auto params = db::Params().texts(providers).texts(ids).number(lease_seconds);
    for (const db::Row row : transaction.run(sql::read_intents, params)) {
        Intent& intent = desk.intents[{ProviderName(row.str(0)), EventId(row.str(1))}];
        intent.outcome = ledger::parse_outcome(row.text(2)).value();
        intent.note = row.str(3);
        intent.fingerprint = row.str(4);
        intent.body_sha256 = row.str(5);
        intent.lease = row.number(6);
        intent.leased = row.flag(7);
        intent.stored = true;
    }
    for (const db::Row row : transaction.run(sql::paused_providers)) {
        desk.paused.insert(ProviderName(row.str(0)));
    }
}

void write_intents(db::Transaction& transaction, const Desk& desk, Time now) {
    insert_intents(transaction, desk, now);
    finish_intents(transaction, desk, now);
    count_redeliveries(transaction, desk);
}

}  // namespace pawl::intents
