#include "sandbox/book_parts.hpp"

#include "base/rng.hpp"

namespace pawl::sandbox {

std::string new_id(const char* prefix) {
    SecureRng rng;
    std::string token = random_token(rng, 12);
    for (char& c : token) {
        if (c == '-' || c == '_') c = 'x';
    }
    return prefix + token;
}

Event make_event(const std::string& type, const std::string& object, Time now) {
    std::string id = new_id("evt_");
    std::string body = event_as_json(id, type, object, now);
    return {std::move(id), std::move(body)};
}

Done refusal(int status, const std::string& code, const std::string& message,
             const std::string& intent) {
    return {status, error_as_json("invalid_request_error", code, message, intent), {}, {}};
}

Done not_found(const std::string& what, const std::string& id) {
    return refusal(404, "resource_missing", "No such " + what + ": '" + id + "'");
}

Done unexpected(const Intent& intent, const std::string& verb) {
    return refusal(400, "payment_intent_unexpected_state",
                   "You cannot " + verb + " a PaymentIntent whose status is " + intent.status + ".",
                   as_json(intent));
}

}  // namespace pawl::sandbox
