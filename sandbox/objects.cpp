#include "sandbox/objects.hpp"

#include <chrono>

#include "base/json.hpp"

namespace pawl::sandbox {
namespace {

// The API version whose shapes these are, as far as they are implemented.
constexpr const char* api_version = "2024-10-28.acacia";

std::int64_t unix_seconds(Time time) {
    return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

void write_metadata(json::Writer& out, const Metadata& metadata) {
    out.key("metadata").begin_object();
    for (const auto& [name, value] : metadata) out.member(name, value);
    out.end_object();
}

void write_text_or_null(json::Writer& out, std::string_view name, const std::string& value) {
    out.key(name);
    if (value.empty()) {
        out.null();
    } else {
        out.string(value);
    }
}

void write_payment_error(json::Writer& out, const Intent& intent) {
    out.key("last_payment_error");
    if (intent.decline_code.empty()) {
        out.null();
        return;
    }
    out.begin_object()
        .member("type", "card_error")
        .member("code", "card_declined")
        .member("decline_code", intent.decline_code)
        .member("message", "Your card was declined.")
        .end_object();
}

void write_next_action(json::Writer& out, const Intent& intent) {
    out.key("next_action");
    if (intent.status != "requires_action") {
        out.null();
        return;
    }
    out.begin_object().member("type", "use_stripe_sdk").key("use_stripe_sdk").begin_object();
    out.member("type", "sandbox_confirm")
        .member("confirm", "POST /v1/payment_intents/" + intent.id + "/confirm");
    out.end_object().end_object();
}

void write_latest_charge(json::Writer& out, const Intent& intent, bool expanded) {
    if (!expanded || intent.latest_charge.empty()) {
        write_text_or_null(out, "latest_charge", intent.latest_charge);
        return;
    }
    out.key("latest_charge").begin_object().member("id", intent.latest_charge);
    out.member("object", "charge").key("payment_method_details").begin_object();
    out.key("card").begin_object();
    if (intent.manual) out.member("capture_before", unix_seconds(intent.capture_before));
    out.end_object().end_object().end_object();
}

}  // namespace

std::string as_json(const Intent& intent, bool expanded) {
    json::Writer out;
    out.begin_object()
        .member("id", intent.id)
        .member("object", "payment_intent")
        .member("amount", intent.amount)
        .member("amount_capturable", intent.capturable)
        .member("amount_received", intent.received)
        .member("capture_method", intent.manual ? "manual" : "automatic_async")
        .member("client_secret", intent.id + "_secret_sandbox")
        .member("created", unix_seconds(intent.created))
        .member("currency", intent.currency);
    write_payment_error(out, intent);
    write_latest_charge(out, intent, expanded);
    out.member("livemode", false);
    write_metadata(out, intent.metadata);
    write_next_action(out, intent);
    write_text_or_null(out, "payment_method", intent.payment_method);
    out.member("status", intent.status).end_object();
    return out.take();
}

std::string as_json(const Refund& refund) {
    json::Writer out;
    out.begin_object()
        .member("id", refund.id)
        .member("object", "refund")
        .member("amount", refund.amount)
        .member("charge", refund.charge)
        .member("created", unix_seconds(refund.created))
        .member("currency", refund.currency);
    if (refund.status == "failed") out.member("failure_reason", "declined");
    write_metadata(out, refund.metadata);
    out.member("payment_intent", refund.payment_intent)
        .key("reason")
        .null()
        .member("status", refund.status)
        .end_object();
    return out.take();
}

std::string charge_as_json(const Intent& intent) {
    json::Writer out;
    out.begin_object()
        .member("id", intent.latest_charge)
        .member("object", "charge")
        .member("amount", intent.received)
        .member("amount_captured", intent.received)
        .member("amount_refunded", intent.refund_done)
        .member("created", unix_seconds(intent.created))
        .member("currency", intent.currency);
    write_metadata(out, intent.metadata);
    out.member("payment_intent", intent.id)
        .member("refunded", intent.refund_done == intent.received)
        .member("status", "succeeded")
        .end_object();
    return out.take();
}

std::string event_as_json(const std::string& id, const std::string& type, const std::string& object,
                          Time now) {
    json::Writer out;
    out.begin_object()
        .member("id", id)
        .member("object", "event")
        .member("api_version", api_version)
        .member("created", unix_seconds(now))
        .key("data")
        .begin_object()
        .key("object")
        .raw(object)
        .end_object()
        .member("livemode", false)
        .member("pending_webhooks", 1)
        .key("request")
        .null()
        .member("type", type)
        .end_object();
    return out.take();
}

std::string list_as_json(const std::string& object, const std::string& url,
                         const std::vector<std::string>& items, bool has_more) {
    json::Writer out;
    out.begin_object().member("object", object).key("data").begin_array();
    for (const std::string& item : items) out.raw(item);
    out.end_array().member("has_more", has_more).member("url", url).end_object();
    return out.take();
}

std::string error_as_json(const std::string& type, const std::string& code,
                          const std::string& message, const std::string& intent,
                          const std::string& decline_code) {
    json::Writer out;
    out.begin_object().key("error").begin_object().member("type", type);
    if (!code.empty()) out.member("code", code);
    if (!decline_code.empty()) out.member("decline_code", decline_code);
    out.member("message", message);
    if (!intent.empty()) out.key("payment_intent").raw(intent);
    out.end_object().end_object();
    return out.take();
}

}  // namespace pawl::sandbox
