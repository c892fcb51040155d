// Authorizations of the book: captured in one or several parts, voided or expired.
#include "sandbox/book.hpp"
#include "sandbox/book_parts.hpp"

namespace pawl::sandbox {
namespace {

constexpr Duration lifetime = std::chrono::days(7);  // as of most cards at Stripe

}  // namespace

Event Book::authorize(Intent& intent, Time now) {
    intent.status = "requires_capture";
    intent.capturable = intent.amount;
    intent.capture_before = now + lifetime;
    ++counts_.authorizations;
    return make_event("payment_intent.amount_capturable_updated", as_json(intent), now);
}

// Ends the authorization: the rest can be captured no more.
Event Book::release(Intent& intent, const char* status, Time now) {
    intent.status = status;
    intent.capturable = 0;
    return make_event("payment_intent." + intent.status, as_json(intent), now);
}

Done Book::capture(const NewCapture& wanted, Fate fate, int percent, Time now) {
    const std::lock_guard lock(mutex_);
    const auto found = intents_.find(wanted.payment_intent);
    if (found == intents_.end()) return not_found("payment_intent", wanted.payment_intent);
    Intent& intent = found->second;
    if (intent.status != "requires_capture") return unexpected(intent, "capture");
    const std::int64_t amount = wanted.amount == 0 ? intent.capturable : wanted.amount;
    if (amount > intent.capturable) {
        return refusal(400, "amount_too_large", "That is more than what can be captured.");
    }
    if (!wanted.final && !intent.multicapture) {
        return refusal(400, "", "This PaymentIntent cannot be captured more than once.");
    }
    if (fate == Fate::declined) {
        return {402,
                error_as_json("card_error", "card_declined", "The capture was declined.",
                              as_json(intent), "generic_decline"),
                "",
                {}};
    }
    for (const auto& [name, value] : wanted.metadata) intent.metadata[name] = value;
    receive(intent, amount * percent / 100);
    ++counts_.captures_by_key[wanted.key];
    intent.capturable -= amount;
    if (wanted.final || intent.capturable == 0) {
        Event event = release(intent, "succeeded", now);
        return {200, as_json(intent), intent.id, {std::move(event)}};
    }
    return {200,
            as_json(intent),
            intent.id,
            {make_event("payment_intent.amount_capturable_updated", as_json(intent), now)}};
}

std::vector<Event> Book::expire(Time now) {
    const std::lock_guard lock(mutex_);
    std::vector<Event> events;
    for (auto& [id, intent] : intents_) {
        if (intent.status != "requires_capture" || now < intent.capture_before) continue;
        events.push_back(release(intent, intent.received > 0 ? "succeeded" : "canceled", now));
    }
    return events;
}

}  // namespace pawl::sandbox
