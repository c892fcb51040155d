// The SQL of deliveries: their bytes by the commit, a copy of those that are still needed, and
// which of them brought an event again.
#include "base/encoding.hpp"
#include "intents/delivery_block.hpp"
#include "intents/sql.hpp"
#include "intents/store.hpp"

namespace pawl::intents {
namespace {

// Of one event's very bytes.
using EventBytes = std::pair<IntentKey, std::string>;

// The intent that holds this event, under its id or under that of a conflict; and its key.
const Intent* intent_of(const Desk& desk, const Submission& submission,
                        const providers::Event& event, IntentKey& key) {
    key = {submission.provider, event.event_id};
    auto found = desk.intents.find(key);
    const auto there = [&] {
        return found != desk.intents.end() && (found->second.stored || found->second.decided);
    };
    if (there() && !same_content(found->second, event)) {
        key.second = conflict_id(event);
        found = desk.intents.find(key);
    }
    return there() && same_content(found->second, event) ? &found->second : nullptr;
}

// Bytes of later deliveries that are stored. Asked only where a stored event came with others than
// its first ones.
std::set<EventBytes> stored_redeliveries(db::Transaction& transaction, const Batch& batch,
                                         const Desk& desk) {
    db::Texts providers, events;
    db::Bytes bodies;
    for (const Submission* submission : batch) {
        if (submission->resumed) continue;
        for (const providers::Event& event : submission->events) {
            IntentKey key;
            const Intent* intent = intent_of(desk, *submission, event, key);
            if (intent == nullptr || intent->body_sha256 == event.body_sha256) continue;
            providers.add(key.first.str());
            events.add(key.second.str());
            bodies.add(from_hex(event.body_sha256).value_or(""));
        }
    }
    std::set<EventBytes> stored;
    if (events.empty()) return stored;
    db::Params params;
    params.column(std::move(providers)).column(std::move(events)).column(std::move(bodies));
    for (const db::Row row : transaction.run(sql::read_redeliveries, params)) {
        stored.emplace(IntentKey(ProviderName(row.str(0)), EventId(row.str(1))), row.str(2));
    }
    return stored;
}

// Some event of it has bytes that no delivery before it had: neither a stored one, nor one of this
// batch.
bool has_new_bytes(const Submission& submission, const Desk& desk, std::set<EventBytes>& seen) {
    bool fresh = false;
    for (const providers::Event& event : submission.events) {
        IntentKey key;
        const Intent* intent = intent_of(desk, submission, event, key);
        const bool known = (intent != nullptr && intent->body_sha256 == event.body_sha256) ||
                           !seen.emplace(key, event.body_sha256).second;
        fresh = fresh || !known;
    }
    return fresh;
}

void write_block(db::Transaction& transaction, const DeliveryBlock& block,
                 const std::vector<const Submission*>& in_it, Desk& desk) {
    if (in_it.empty()) return;
    const auto params =
        db::Params().time(block.received_at()).number(block.count()).bytes(block.raw());
    const db::Rows rows = transaction.run(sql::write_delivery_block, params);
    std::int64_t id = rows.only().number(0) * DeliveryBlock::deliveries_max;
    for (const Submission* submission : in_it) desk.delivery_ids[submission] = id++;
}

}  // namespace

void write_deliveries(db::Transaction& transaction, const Batch& batch, Desk& desk) {
    DeliveryBlock block;
    std::vector<const Submission*> in_it;
    std::set<EventBytes> seen = stored_redeliveries(transaction, batch, desk);
    for (const Submission* submission : batch) {
        if (submission->resumed) continue;  // its bytes are there already
        if (!has_new_bytes(*submission, desk, seen)) continue;
        block.add(submission->provider, submission->delivery, submission->remote);
        in_it.push_back(submission);
        if (!block.full()) continue;
        write_block(transaction, block, in_it, desk);
        block = DeliveryBlock();
        in_it.clear();
    }
    write_block(transaction, block, in_it, desk);
}

void keep_open_deliveries(db::Transaction& transaction, const Batch& batch, const Desk& desk) {
    std::set<std::int64_t> open;
    for (const auto& [key, intent] : desk.intents) {
        const bool needed = !ledger::is_done(intent.outcome) || intent.note == "nothing_to_return";
        if (intent.decided && !intent.stored && needed && intent.origin.delivery_id) {
            open.insert(*intent.origin.delivery_id);
        }
    }
    if (open.empty()) return;
    db::Numbers ids;
    db::Times received;
    db::Texts providers, methods, urls, remotes;
    db::Bytes headers, bodies;
    for (const Submission* submission : batch) {
        const auto id = desk.delivery_ids.find(submission);
        if (id == desk.delivery_ids.end() || !open.contains(id->second)) continue;
        const providers::Delivery& delivery = submission->delivery;
        ids.add(id->second);
        received.add(delivery.received_at);
        providers.add(submission->provider.str());
        methods.add(storable(delivery.method));
        urls.add(storable(delivery.url));
        remotes.add(storable(submission->remote));
        headers.add(header_lines(delivery.headers));
        bodies.add(delivery.body);
    }
    db::Params params;
    params.column(std::move(ids)).column(std::move(received)).column(std::move(providers));
    params.column(std::move(methods)).column(std::move(urls)).column(std::move(remotes));
    params.column(std::move(headers)).column(std::move(bodies));
    transaction.run(sql::keep_open_deliveries, params);
}

void write_redeliveries(db::Transaction& transaction, const Batch& batch, const Desk& desk) {
    db::Texts providers, events;
    db::Bytes bodies;
    db::Numbers ids, offsets, lengths;
    for (const Submission* submission : batch) {
        const auto id = desk.delivery_ids.find(submission);
        if (id == desk.delivery_ids.end()) continue;
        for (const providers::Event& event : submission->events) {
            IntentKey key;
            const Intent* intent = intent_of(desk, *submission, event, key);
            const bool again = intent != nullptr && intent->body_sha256 != event.body_sha256 &&
                               (intent->stored || intent->origin.delivery_id != id->second);
            if (!again) continue;
            providers.add(key.first.str());
            events.add(key.second.str());
            bodies.add(from_hex(event.body_sha256).value_or(""));
            ids.add(id->second);
            offsets.add(static_cast<std::int64_t>(event.body_offset));
            lengths.add(static_cast<std::int64_t>(event.body_size));
        }
    }
    if (events.empty()) return;
    db::Params params;
    params.column(std::move(providers)).column(std::move(events)).column(std::move(bodies));
    params.column(std::move(ids)).column(std::move(offsets)).column(std::move(lengths));
    transaction.run(sql::insert_redeliveries, params);
}

}  // namespace pawl::intents
