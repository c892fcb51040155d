// Refunds of the book. A refund holds its amount from its creation until it fails, so that the
// refunds of a payment never exceed what was received.
#include "sandbox/book.hpp"
#include "sandbox/book_parts.hpp"

namespace pawl::sandbox {

std::vector<Event> Book::finish_refund(Refund& refund, Time now) {
    refund.status = "succeeded";
    Intent& intent = intents_[refund.payment_intent];
    intent.refund_done += refund.amount;
    ++counts_.refunds;
    ++counts_.refunds_by_key[key_of_[refund.id]];
    counts_.amounts[refund.currency].refunded += refund.amount;
    return {make_event("charge.refunded", charge_as_json(intent), now)};
}

Done Book::create_refund(const NewRefund& wanted, Fate fate, Time now) {
    const std::lock_guard lock(mutex_);
    const auto found = intents_.find(wanted.payment_intent);
    if (found == intents_.end()) return not_found("payment_intent", wanted.payment_intent);
    Intent& intent = found->second;
    if (intent.received == 0) return unexpected(intent, "refund");
    const std::int64_t left = intent.received - intent.refunded;
    if (left == 0) return refusal(400, "charge_already_refunded", "It is refunded already.");
    const std::int64_t amount = wanted.amount == 0 ? left : wanted.amount;
    if (amount > left) {
        return refusal(400, "amount_too_large", "That is more than what is left to refund.");
    }
    const std::string id = new_id("re_");
    key_of_[id] = wanted.key;
    refund_order_.push_back(id);
    Refund& refund = refunds_[id];
    refund = {
        id, intent.id, intent.latest_charge, amount, intent.currency, "pending", wanted.metadata,
        now};
    std::vector<Event> events;
    if (fate == Fate::declined) {
        refund.status = "failed";
    } else {
        intent.refunded += amount;
        if (fate == Fate::succeeds) events = finish_refund(refund, now);
    }
    events.push_back(make_event("refund.created", as_json(refund), now));
    if (fate == Fate::declined) events.push_back(make_event("refund.failed", as_json(refund), now));
    return {200, as_json(refund), id, std::move(events)};
}

std::vector<Event> Book::settle_refund(const std::string& id, Time now) {
    const std::lock_guard lock(mutex_);
    const auto found = refunds_.find(id);
    if (found == refunds_.end() || found->second.status != "pending") return {};
    std::vector<Event> events = finish_refund(found->second, now);
    events.push_back(make_event("refund.updated", as_json(found->second), now));
    return events;
}

Done Book::find_refund(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    const auto found = refunds_.find(id);
    if (found == refunds_.end()) return not_found("refund", id);
    return {200, as_json(found->second), id, {}};
}

Done Book::list_refunds(const std::string& payment_intent, std::size_t limit) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> items;
    bool more = false;
    for (auto id = refund_order_.rbegin(); id != refund_order_.rend() && !more; ++id) {
        const Refund& refund = refunds_.at(*id);
        if (!payment_intent.empty() && refund.payment_intent != payment_intent) continue;
        more = items.size() == limit;
        if (!more) items.push_back(as_json(refund));
    }
    return {200, list_as_json("list", "/v1/refunds", items, more), "", {}};
}

}  // namespace pawl::sandbox
