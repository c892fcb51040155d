#include "intents/deliveries/deliveries.hpp"

#include <set>
#include <string_view>
#include <tuple>

#include "base/encoding.hpp"
#include "intents/deliveries/delivery_block.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// Identifies one event's exact bytes: hash, id, provider. Views of the batch.
using EventBytes = std::tuple<std::string_view, std::string_view, std::string_view>;

// Events whose bytes are stored with a later delivery.
using Known = std::set<const providers::Event*>;

// Returns the intent that holds this event, under whichever key, and sets `key`; null if none does.
const Intent* intent_of(const BatchContext& context, const Submission& submission,
                        const providers::Event& event, IntentKey& key) {
    key = {submission.provider, slot_of(context, submission.provider, event).id};
    const auto found = context.intents.find(key);
    const bool there =
        found != context.intents.end() && (found->second.stored || found->second.decided);
    return there && same_content(found->second, event) ? &found->second : nullptr;
}

// Asked only where a stored event came with other bytes than its first ones.
Known stored_redeliveries(db::Transaction& transaction, const Batch& batch,
                          const BatchContext& context) {
    if (context.intents.empty()) return {};
    std::vector<const providers::Event*> asked;
    db::Texts providers, events;
    db::Bytes bodies;
    for (const Submission* submission : batch) {
        if (submission->resumed) continue;
        for (const providers::Event& event : submission->events) {
            IntentKey key;
            const Intent* intent = intent_of(context, *submission, event, key);
            if (intent == nullptr || intent->body_sha256 == event.body_sha256) continue;
            asked.push_back(&event);
            providers.add(key.first.str());
            events.add(key.second.str());
            bodies.add(from_hex(event.body_sha256).value_or(""));
        }
    }
    if (asked.empty()) return {};
    Known known;
    for (const auto row : transaction.run(sql::ReadRedeliveries{.provider = std::move(providers),
                          .event_id = std::move(events),
                          .body_sha256 = std::move(bodies)})) {
        known.insert(asked.at(static_cast<std::size_t>(row.n() - 1)));
    }
    return known;
}

bool is_stored_with(const BatchContext& context, const Submission& submission,
                    const providers::Event& event) {
    if (context.intents.empty()) return false;
    IntentKey key;
    const Intent* intent = intent_of(context, submission, event, key);
    return intent != nullptr && intent->body_sha256 == event.body_sha256;
}

// Some event of it has bytes that no delivery before it had: neither a stored one, nor one of this
// batch.
bool has_new_bytes(const Submission& submission, const BatchContext& context, const Known& known,
                   std::set<EventBytes>& seen) {
    bool fresh = false;
    for (const providers::Event& event : submission.events) {
        const EventBytes bytes{event.body_sha256, event.event_id.str(), submission.provider.str()};
        const bool before = is_stored_with(context, submission, event) || known.contains(&event) ||
                            !seen.insert(bytes).second;
        fresh = fresh || !before;
    }
    return fresh;
}

// Whether the event is unfinished, so that an operator or new rules may need its bytes.
bool needs_bytes(const Intent& intent) {
    return !ledger::is_done(intent.outcome) || intent.note == "nothing_to_return";
}

// Whether each event of the batch made its own intent: none is a redelivery.
bool all_are_first(const Batch& batch, const BatchContext& context) {
    std::size_t events = 0;
    for (const Submission* submission : batch) events += submission->events.size();
    std::size_t made = 0;
    for (const auto& [key, intent] : context.intents)
        made += intent.decided && !intent.stored ? 1 : 0;
    return made == events;
}

// Returns the deliveries with bytes of an unfinished event: its first, and its redeliveries.
std::set<std::int64_t> open_deliveries(const Batch& batch, const BatchContext& context) {
    std::set<std::int64_t> open;
    for (const auto& [key, intent] : context.intents) {
        if (intent.decided && !intent.stored && needs_bytes(intent) && intent.origin.delivery_id) {
            open.insert(*intent.origin.delivery_id);
        }
    }
    if (all_are_first(batch, context)) return open;
    for (const Submission* submission : batch) {
        const auto id = context.delivery_ids.find(submission);
        if (id == context.delivery_ids.end()) continue;
        for (const providers::Event& event : submission->events) {
            IntentKey key;
            const Intent* intent = intent_of(context, *submission, event, key);
            const bool other = intent != nullptr && intent->body_sha256 != event.body_sha256;
            if (other && needs_bytes(*intent)) open.insert(id->second);
        }
    }
    return open;
}

void write_block(db::Transaction& transaction, const DeliveryBlock& block,
                 const std::vector<const Submission*>& in_it, BatchContext& context) {
    if (in_it.empty()) return;
    const auto rows = transaction.run(sql::WriteDeliveryBlock{
        .received_at = block.received_at(), .deliveries = block.count(), .raw = block.raw()});
    std::int64_t id = rows.only().block_id() * DeliveryBlock::deliveries_max;
    for (const Submission* submission : in_it) context.delivery_ids[submission] = id++;
}

}  // namespace

void write_deliveries(db::Transaction& transaction, const Batch& batch, BatchContext& context) {
    DeliveryBlock block;
    std::vector<const Submission*> in_it;
    const Known known = stored_redeliveries(transaction, batch, context);
    std::set<EventBytes> seen;
    for (const Submission* submission : batch) {
        if (submission->resumed) continue;  // its bytes are there already
        if (!has_new_bytes(*submission, context, known, seen)) continue;
        block.add(submission->provider, submission->delivery, submission->remote);
        in_it.push_back(submission);
        if (!block.full()) continue;
        write_block(transaction, block, in_it, context);
        block = DeliveryBlock();
        in_it.clear();
    }
    write_block(transaction, block, in_it, context);
}

void keep_open_deliveries(db::Transaction& transaction, const Batch& batch,
                          const BatchContext& context) {
    const std::set<std::int64_t> open = open_deliveries(batch, context);
    if (open.empty()) return;
    db::Numbers ids;
    db::Times received;
    db::Texts providers, methods, urls, remotes;
    db::Bytes headers, bodies;
    for (const Submission* submission : batch) {
        const auto id = context.delivery_ids.find(submission);
        if (id == context.delivery_ids.end() || !open.contains(id->second)) continue;
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
    transaction.run(sql::KeepOpenDeliveries{.delivery_id = std::move(ids),
                                            .received_at = std::move(received),
                                            .provider = std::move(providers),
                                            .method = std::move(methods),
                                            .url = std::move(urls),
                                            .remote = std::move(remotes),
                                            .headers = std::move(headers),
                                            .body = std::move(bodies)});
}

void write_redeliveries(db::Transaction& transaction, const Batch& batch,
                        const BatchContext& context) {
    if (all_are_first(batch, context)) return;
    db::Texts providers, events;
    db::Bytes bodies;
    db::Numbers segments, ids, offsets, lengths;
    for (const Submission* submission : batch) {
        const auto id = context.delivery_ids.find(submission);
        if (id == context.delivery_ids.end()) continue;
        for (const providers::Event& event : submission->events) {
            IntentKey key;
            const Intent* intent = intent_of(context, *submission, event, key);
            const bool again = intent != nullptr && intent->body_sha256 != event.body_sha256 &&
                               (intent->stored || intent->origin.delivery_id != id->second);
            if (!again) continue;
            providers.add(key.first.str());
            events.add(key.second.str());
            segments.add(intent->segment);
            bodies.add(from_hex(event.body_sha256).value_or(""));
            ids.add(id->second);
            offsets.add(static_cast<std::int64_t>(event.body_offset));
            lengths.add(static_cast<std::int64_t>(event.body_size));
        }
    }
    if (events.empty()) return;
    transaction.run(sql::InsertRedeliveries{.provider = std::move(providers),
                                            .event_id = std::move(events),
                                            .segment = std::move(segments),
                                            .body_sha256 = std::move(bodies),
                                            .delivery_id = std::move(ids),
                                            .item_offset = std::move(offsets),
                                            .item_length = std::move(lengths)});
}

}  // namespace pawl::intents
