#include "outbound/gateways/stripe_answers.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/minor_units.hpp"
#include "base/storable.hpp"
#include "base/text.hpp"

namespace pawl::outbound::stripe {
namespace {

constexpr std::size_t note_bytes_max = 300;  // shown to operators

std::string text_at(const json::Value& value, const char* pointer) {
    return storable(json::text_at(value, pointer));
}

std::optional<std::chrono::milliseconds> retry_after(const HttpReply& reply) {
    const auto header = reply.header("Retry-After");
    if (!header || header->size() > 6) return std::nullopt;
    const auto seconds = to_number<int>(*header);
    // The other form of this header is a date, and we have no clock to compare it with.
    if (!seconds || *seconds < 0) return std::nullopt;
    return std::chrono::seconds(*seconds);
}

// Stripe's own header takes precedence over the usual meaning of a status.
std::optional<bool> should_retry(const HttpReply& reply) {
    const auto header = reply.header("Stripe-Should-Retry");
    if (header == "true") return true;
    if (header == "false") return false;
    return std::nullopt;
}

GatewayResult answer_to(const HttpReply& reply) {
    GatewayResult answer;
    answer.status = reply.status;
    answer.note = "HTTP " + std::to_string(reply.status);
    answer.retry_after = retry_after(reply);
    answer.may_retry = should_retry(reply).value_or(true);
    answer.replayed = reply.header("Idempotent-Replayed") == "true";
    answer.body = reply.body;
    return answer;
}

GatewayResult result_of_failure(const HttpFailure& failure) {
    GatewayResult answer;
    answer.note = failure.what;
    return answer;
}

std::optional<Money> money_at(const json::Value& object, const char* amount) {
    const auto currency = Currency::parse(text_at(object, "/currency"));
    if (!currency) return std::nullopt;
    const auto money =
        from_minor_text(text_at(object, amount), *currency, exponent_at("stripe", *currency));
    return money ? std::optional(*money) : std::nullopt;
}

// A refusal's code and sentence, as far as there are any.
std::string reason_in(const json::Value& root) {
    std::string reason;
    for (const char* part : {"/error/type", "/error/code", "/error/decline_code"}) {
        const std::string text = text_at(root, part);
        if (!text.empty()) reason += (reason.empty() ? "" : ", ") + text;
    }
    const std::string message = text_at(root, "/error/message");
    if (!message.empty()) reason += (reason.empty() ? "" : ": ") + message;
    return storable(reason, note_bytes_max);
}

bool has_key(const json::Value& object, const std::string& key) {
    return text_at(object, "/metadata/key") == key;
}

// Only where the payer holds the secret can the payer confirm it again.
PayerAction action_in(const json::Value& intent) {
    return {text_at(intent, "/next_action/type"),
            text_at(intent, "/next_action/redirect_to_url/url"), text_at(intent, "/client_secret")};
}

void decline(const json::Value& intent, GatewayResult& into) {
    into.ending = GatewayOutcome::declined;
    into.open_there = true;
    into.note = text_at(intent, "/last_payment_error/decline_code");
    if (into.note.empty()) into.note = text_at(intent, "/last_payment_error/code");
}

std::optional<Time> time_at(const json::Value& value, const char* pointer) {
    const auto seconds = to_number<std::int64_t>(text_at(value, pointer));
    if (!seconds) return std::nullopt;
    return Time(std::chrono::seconds(*seconds));
}

// Some of it may be captured already: that has moved.
void authorize(const json::Value& intent, GatewayResult& into) {
    constexpr const char* expiry = "/latest_charge/payment_method_details/card/capture_before";
    into.ending = GatewayOutcome::authorized;
    into.capture_before = time_at(intent, expiry);
    const auto received = money_at(intent, "/amount_received");
    if (received && received->minor > 0) into.moved = received;
}

// The part that was captured before the rest was released has moved.
void cancel(const json::Value& intent, GatewayResult& into) {
    const auto received = money_at(intent, "/amount_received");
    const bool captured = received && received->minor > 0;
    into.ending = captured ? GatewayOutcome::succeeded : GatewayOutcome::canceled;
    if (captured) into.moved = received;
}

void read_intent(const json::Value& intent, GatewayResult& into) {
    const std::string status = text_at(intent, "/status");
    into.reference = text_at(intent, "/id");
    into.note = "payment_intent " + status;
    if (into.reference.empty()) return;
    into.capturable = money_at(intent, "/amount_capturable");
    if (status == "succeeded") {
        into.ending = GatewayOutcome::succeeded;
        into.moved = money_at(intent, "/amount_received");
    } else if (status == "requires_capture") {
        authorize(intent, into);
    } else if (status == "processing") {
        into.ending = GatewayOutcome::processing;
    } else if (status == "canceled") {
        cancel(intent, into);
    } else if (status == "requires_action") {
        into.ending = GatewayOutcome::requires_action;
        into.action = action_in(intent);
    } else if (status == "requires_payment_method") {
        decline(intent, into);
    }
}

void read_refund_object(const json::Value& refund, GatewayResult& into) {
    const std::string status = text_at(refund, "/status");
    into.reference = text_at(refund, "/id");
    into.note = "refund " + status;
    if (into.reference.empty()) return;
    if (status == "succeeded") {
        into.ending = GatewayOutcome::succeeded;
        into.moved = money_at(refund, "/amount");
    } else if (status == "pending") {
        into.ending = GatewayOutcome::processing;
    } else if (status == "requires_action") {
        into.ending = GatewayOutcome::requires_action;
    } else if (status == "failed") {
        into.ending = GatewayOutcome::failed;
        into.note = "refund failed: " + text_at(refund, "/failure_reason");
    } else if (status == "canceled") {
        into.ending = GatewayOutcome::canceled;
    }
}

using ReadObject = void (*)(const json::Value&, GatewayResult&);

bool refused_before_execution(int status) {
    constexpr int statuses[] = {400, 401, 403, 404, 429};
    return std::find(std::begin(statuses), std::end(statuses), status) != std::end(statuses);
}

// An answer that is neither an object nor a final refusal.
void read_refusal(const HttpReply& reply, const std::string& error_type, bool in_doubt,
                  GatewayResult& into) {
    // A replayed answer was given to an earlier send, and an idempotency error speaks of one: in
    // both cases this send was not the first, even if none was recorded.
    const bool earlier_send =
        in_doubt || error_type == "idempotency_error" || reply.header("Idempotent-Replayed");
    if (earlier_send || !refused_before_execution(reply.status)) return;
    into.ending = GatewayOutcome::refused;
    const bool same_again = reply.status == 400 || reply.status == 404;
    into.may_retry = should_retry(reply).value_or(!same_again);
}

// Marks an object under our key that another order's call or a foreign system has made.
void make_foreign(const std::string& key, GatewayResult& answer) {
    answer.ending = GatewayOutcome::foreign;
    answer.note = "the object there does not carry the key " + key;
    answer.reference.clear();
    answer.moved.reset();
}

// A final refusal of a card. Its intent stays open.
bool read_decline(const json::Value& root, const std::string& key, GatewayResult& into) {
    if (into.status != 402 || text_at(root, "/error/type") != "card_error") return false;
    const auto intent = root.at(*json::Pointer::parse("/error/payment_intent"));
    const bool named = intent && intent->at(*json::Pointer::parse("/metadata")).has_value();
    into.ending = GatewayOutcome::declined;
    into.open_there = !into.reference.empty();
    if (named && !has_key(*intent, key)) make_foreign(key, into);
    return true;
}

GatewayResult read_made(const HttpResult& outcome, const std::string& key, bool in_doubt,
                        ReadObject read_object) {
    if (const auto* failure = std::get_if<HttpFailure>(&outcome))
        return result_of_failure(*failure);
    const auto& reply = std::get<HttpReply>(outcome);
    GatewayResult answer = answer_to(reply);
    const auto document = json::Document::parse(reply.body);
    if (reply.status >= 200 && reply.status < 300) {
        if (!document) return answer;
        read_object(document->root(), answer);
        if (!answer.reference.empty() && !has_key(document->root(), key)) make_foreign(key, answer);
        return answer;
    }
    std::string type;
    if (document) {
        const json::Value root = document->root();
        type = text_at(root, "/error/type");
        const std::string reason = reason_in(root);
        if (!reason.empty()) answer.note += ": " + reason;
        answer.reference = text_at(root, "/error/payment_intent/id");
        if (read_decline(root, key, answer)) return answer;
    }
    read_refusal(reply, type, in_doubt, answer);
    // Given to an earlier send, and says nothing final: sent again, it would be given once more.
    if (answer.replayed) answer.may_retry = false;
    return answer;
}

void read_list(const json::Value& root, const std::string& key, ReadObject read_object,
               GatewayResult& into) {
    const auto data = root.at(*json::Pointer::parse("/data"));
    if (!data || data->kind() != json::Kind::array) return;
    std::vector<json::Value> ours;
    for (const json::Value& object : data->children()) {
        if (has_key(object, key)) {
            ours.push_back(object);
            continue;
        }
        GatewayResult other;
        read_object(object, other);
        into.others.push_back({text_at(object, "/metadata/key"), other.reference, other.ending});
    }
    if (ours.size() == 1) {
        read_object(ours.front(), into);
    } else if (ours.size() > 1) {
        into.note = std::to_string(ours.size()) + " objects carry the key " + key;
    } else if (text_at(root, "/has_more") == "true") {
        into.note = "not among the first page, and there are more";
    } else {
        into.ending = GatewayOutcome::not_found;
        into.note = "not found";
    }
}

GatewayResult read_found(const HttpResult& outcome, const std::string& key,
                         ReadObject read_object) {
    if (const auto* failure = std::get_if<HttpFailure>(&outcome))
        return result_of_failure(*failure);
    const auto& reply = std::get<HttpReply>(outcome);
    GatewayResult answer = answer_to(reply);
    const auto document = json::Document::parse(reply.body);
    if (!document) return answer;
    const json::Value root = document->root();
    if (reply.status == 404 && text_at(root, "/error/code") == "resource_missing") {
        answer.ending = GatewayOutcome::not_found;
    }
    if (reply.status != 200) {
        const std::string reason = reason_in(root);
        if (!reason.empty()) answer.note += ": " + reason;
    } else if (root.at(*json::Pointer::parse("/data"))) {
        read_list(root, key, read_object, answer);
    } else if (has_key(root, key)) {
        read_object(root, answer);
    } else {
        make_foreign(key, answer);
    }
    return answer;
}

// Turns the answer about a payment into the answer about one of its captures.
void read_as_capture(const json::Value& intent, const std::string& key, GatewayResult& answer) {
    const GatewayOutcome payment = answer.ending;
    if (payment == GatewayOutcome::foreign) return;
    const bool executed = text_at(intent, "/metadata/capture") == key;
    const bool moved = answer.moved && answer.moved->minor > 0;
    if (executed) {
        if (moved) answer.ending = GatewayOutcome::succeeded;
        if (!moved && payment != GatewayOutcome::processing)
            answer.ending = GatewayOutcome::unknown;
    } else if (payment == GatewayOutcome::authorized) {
        answer.ending = GatewayOutcome::not_found;
        answer.note = "the payment can be captured, and this capture was not executed";
    } else if (payment == GatewayOutcome::succeeded) {
        answer.ending = GatewayOutcome::failed;
        answer.note = "nothing is left: the payment was captured by another request";
    } else if (payment != GatewayOutcome::canceled) {
        answer.ending = GatewayOutcome::unknown;
    }
}

std::optional<json::Value> shown_intent(const json::Document& document) {
    return document.root().at(*json::Pointer::parse("/error/payment_intent"));
}

}  // namespace

GatewayResult read_charge(const HttpResult& outcome, const std::string& key, bool in_doubt) {
    return read_made(outcome, key, in_doubt, read_intent);
}

GatewayResult read_refund(const HttpResult& outcome, const std::string& key, bool in_doubt) {
    return read_made(outcome, key, in_doubt, read_refund_object);
}

// A cancel may be sent any number of times. If the payment has ended already, Stripe refuses the
// cancel and returns the payment with its final status.
GatewayResult read_cancel(const HttpResult& outcome, const std::string& key) {
    GatewayResult answer = read_made(outcome, key, false, read_intent);
    if (answer.status != 400 || answer.ending != GatewayOutcome::refused) return answer;
    const auto document = json::Document::parse(answer.body);
    const auto intent = shown_intent(*document);
    if (!intent) return answer;
    GatewayResult shown = answer;
    read_intent(*intent, shown);
    return shown.ending == GatewayOutcome::succeeded || shown.ending == GatewayOutcome::canceled
               ? shown
               : answer;
}

// Stripe refuses to capture a payment that has ended and shows it, which says how it ended, also
// for a send that is in doubt.
GatewayResult read_capture(const HttpResult& outcome, const CaptureKeys& keys, bool in_doubt) {
    GatewayResult answer = read_made(outcome, keys.payment, in_doubt, read_intent);
    answer.open_there = false;
    const auto document = json::Document::parse(answer.body);
    if (!document) return answer;
    if (answer.status == 200) {
        read_as_capture(document->root(), keys.capture, answer);
        return answer;
    }
    const auto intent = answer.status == 400 ? shown_intent(*document) : std::nullopt;
    if (!intent || !has_key(*intent, keys.payment)) return answer;
    GatewayResult shown = answer;
    read_intent(*intent, shown);
    read_as_capture(*intent, keys.capture, shown);
    const bool ended = shown.ending == GatewayOutcome::succeeded ||
                       shown.ending == GatewayOutcome::failed ||
                       shown.ending == GatewayOutcome::canceled;
    return ended ? shown : answer;
}

GatewayResult read_found_charge(const HttpResult& outcome, const std::string& key) {
    return read_found(outcome, key, read_intent);
}

GatewayResult read_found_refund(const HttpResult& outcome, const std::string& key) {
    return read_found(outcome, key, read_refund_object);
}

GatewayResult read_found_capture(const HttpResult& outcome, const CaptureKeys& keys) {
    GatewayResult answer = read_found(outcome, keys.payment, read_intent);
    const auto document = json::Document::parse(answer.body);
    if (answer.status == 200 && document) {
        read_as_capture(document->root(), keys.capture, answer);
    }
    return answer;
}

}  // namespace pawl::outbound::stripe
