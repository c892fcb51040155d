#include "sandbox/book.hpp"

#include "sandbox/book_parts.hpp"

namespace pawl::sandbox {
void Book::receive(Intent& intent, std::int64_t amount) {
    intent.received += amount;
    ++counts_.charges;
    const auto order = intent.metadata.find("order");
    if (order != intent.metadata.end()) ++counts_.by_order[order->second];
    counts_.amounts[intent.currency].charged += amount;
}

Event Book::succeed(Intent& intent, int percent, Time now) {
    intent.decline_code.clear();
    intent.latest_charge = new_id("ch_");
    if (intent.manual) return authorize(intent, now);
    intent.status = "succeeded";
    receive(intent, intent.amount * percent / 100);
    ++counts_.by_key[key_of_[intent.id]];
    return make_event("payment_intent.succeeded", as_json(intent), now);
}

Done Book::execute(Intent& intent, Fate fate, int percent, Time now, bool expanded) {
    Done done{200, "", intent.id, {}};
    switch (fate) {
        case Fate::succeeds:
            done.events.push_back(succeed(intent, percent, now));
            break;
        case Fate::declined:
            intent.status = "requires_payment_method";
            intent.decline_code = "generic_decline";
            done.status = 402;
            done.body = error_as_json("card_error", "card_declined", "Your card was declined.",
                                      as_json(intent), intent.decline_code);
            done.events.push_back(
                make_event("payment_intent.payment_failed", as_json(intent), now));
            return done;
        case Fate::requires_action:
            intent.status = "requires_action";
            done.events.push_back(
                make_event("payment_intent.requires_action", as_json(intent), now));
            break;
        case Fate::processing:
            intent.status = "processing";
            done.events.push_back(make_event("payment_intent.processing", as_json(intent), now));
            break;
    }
    done.body = as_json(intent, expanded);
    return done;
}

Done Book::create(const NewIntent& wanted, Fate fate, int percent, Time now) {
    const std::lock_guard lock(mutex_);
    const std::string id = new_id("pi_");
    Intent& intent = intents_[id];
    intent.id = id;
    intent.amount = wanted.amount;
    intent.currency = wanted.currency;
    intent.payment_method = wanted.payment_method;
    intent.metadata = wanted.metadata;
    intent.manual = wanted.manual;
    intent.multicapture = wanted.multicapture;
    intent.created = now;
    order_.push_back(id);
    key_of_[id] = wanted.key;
    if (wanted.confirm) return execute(intent, fate, percent, now, wanted.expanded);
    return {200, as_json(intent), id, {}};
}

Done Book::confirm(const std::string& id, Fate fate, int percent, Time now) {
    const std::lock_guard lock(mutex_);
    const auto found = intents_.find(id);
    if (found == intents_.end()) return not_found("payment_intent", id);
    const std::string& status = found->second.status;
    if (status != "requires_action" && status != "requires_confirmation" &&
        status != "requires_payment_method") {
        return unexpected(found->second, "confirm");
    }
    return execute(found->second, fate, percent, now);
}

Done Book::cancel(const std::string& id, Time now) {
    const std::lock_guard lock(mutex_);
    const auto found = intents_.find(id);
    if (found == intents_.end()) return not_found("payment_intent", id);
    Intent& intent = found->second;
    if (intent.status == "succeeded" || intent.status == "processing" ||
        intent.status == "canceled") {
        return unexpected(intent, "cancel");
    }
    if (intent.status == "requires_capture") ++counts_.voids;
    Event canceled = release(intent, "canceled", now);
    return {200, as_json(intent), id, {std::move(canceled)}};
}

std::vector<Event> Book::settle(const std::string& id, Time now) {
    const std::lock_guard lock(mutex_);
    const auto found = intents_.find(id);
    if (found == intents_.end()) return {};
    Intent& intent = found->second;
    // An intent that was canceled meanwhile succeeds, too: providers settle late.
    if (intent.status == "succeeded" || intent.status == "requires_capture") return {};
    return {succeed(intent, 100, now)};
}

Done Book::find(const std::string& id, bool expanded) const {
    const std::lock_guard lock(mutex_);
    const auto found = intents_.find(id);
    if (found == intents_.end()) return not_found("payment_intent", id);
    return {200, as_json(found->second, expanded), id, {}};
}

Done Book::search(const std::string& name, const std::string& value, Time indexed_until,
                  std::size_t limit) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> hits;
    bool more = false;
    for (auto id = order_.rbegin(); id != order_.rend() && !more; ++id) {
        const Intent& intent = intents_.at(*id);
        const auto entry = intent.metadata.find(name);
        if (entry == intent.metadata.end() || entry->second != value) continue;
        if (intent.created > indexed_until) continue;
        more = hits.size() == limit;
        if (!more) hits.push_back(as_json(intent));
    }
    return {200, list_as_json("search_result", "/v1/payment_intents/search", hits, more), "", {}};
}

Book::Counts Book::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

}  // namespace pawl::sandbox
