#include "intents/accept/reread.hpp"

#include <algorithm>

#include "base/keys.hpp"
#include "intents/deliveries/delivery_block.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

using Row = sql::ReadFirstDelivery::Row;

std::optional<providers::Delivery> delivery_of(const Row& row) {
    if (!row.body()) return std::nullopt;
    return providers::Delivery{.method = std::string(row.method().value()),
                               .url = std::string(row.url().value()),
                               .headers = headers_of(row.headers().value()),
                               .body = row.body().value(),
                               .received_at = row.delivered_at().value()};
}

bool is_key_of(const providers::Event& event, const providers::Movement& movement,
               std::string_view posted) {
    const auto same = [&](const EffectKey& key) {
        return key.str() == posted ||
               (movement.is_total && total_key(key, movement.amount.minor).str() == posted);
    };
    return same(movement.effect_key) ||
           std::any_of(event.formerly.begin(), event.formerly.end(), [&](const auto& one) {
               return one.key == movement.effect_key && same(one.former);
           });
}

// The row itself holds the money of the first delivery, but of a total or a set balance only the
// part that moved: their keys name the figure.
bool is_like_the_row(const Row& row, const providers::Event& event) {
    if (event.movements.empty()) return !row.effect_key();
    const providers::Movement& movement = event.movements.front();
    const bool by_key = movement.is_total || movement.kind == providers::Action::set_balance;
    return row.effect_key() && is_key_of(event, movement, *row.effect_key()) &&
           (movement.account.empty() || row.account() == movement.account.str()) &&
           (by_key || row.amount() == movement.amount.minor) &&
           row.currency() == movement.amount.currency.code();
}

bool says_the_same(db::Transaction& transaction, const Submission& submission,
                   const providers::Event& event, const Intent& first) {
    const auto rows = transaction.run(sql::ReadFirstDelivery{.segment = first.segment,
                                                             .provider = submission.provider.str(),
                                                             .event_id = event.event_id.str()});
    if (rows.empty()) return false;
    const auto delivery = delivery_of(rows[0]);
    if (!delivery) return is_like_the_row(rows[0], event);
    const auto received = submission.reader->read_again(*delivery);
    return std::any_of(received.events.begin(), received.events.end(), [&](const auto& read) {
        return read.body_sha256 == first.body_sha256 && read.event_id == event.event_id &&
               read.fingerprint == event.fingerprint;
    });
}

}  // namespace

void compare_by_todays_rules(db::Transaction& transaction, const Batch& batch,
                             BatchContext& context) {
    if (context.intents.empty()) return;
    for (const Submission* submission : batch) {
        if (submission->resumed || !submission->reader) continue;
        for (const providers::Event& event : submission->events) {
            const auto held = context.intents.find({submission->provider, event.event_id});
            if (held == context.intents.end()) continue;
            Intent& first = held->second;
            if (same_content(first, event) || id_beside_other_mode(first, event)) continue;
            if (!says_the_same(transaction, *submission, event, first)) continue;
            first.fingerprint = event.fingerprint;
        }
    }
}

}  // namespace pawl::intents
