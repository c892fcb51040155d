#include "app/inspect/verdict.hpp"

#include <optional>

#include "base/json.hpp"

namespace pawl::app {
namespace {

using providers::Action;
using providers::Event;

std::optional<std::string> filled(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

// What the server would answer, if its database takes it.
int answer_of(const providers::Received& received) {
    switch (received.verdict) {
        case providers::Verdict::verified:
            return 200;
        case providers::Verdict::refused:
            return 401;
        case providers::Verdict::too_many_items:
            return 413;
        case providers::Verdict::live_mode:
            return 503;
    }
    return 401;
}

void write_texts(json::Writer& out, std::string_view name, const std::vector<std::string>& texts) {
    out.key(name).begin_array();
    for (const std::string& text : texts) out.string(text);
    out.end_array();
}

// The same members whether money moves or not, so that a script may ask for any of them.
void write_movement(json::Writer& out, const Event& event) {
    std::optional<std::int64_t> amount;
    std::optional<std::string> currency, effect_key;
    std::vector<std::string> needs;
    const bool moves = !event.movements.empty();
    if (moves) {
        amount = event.movements.front().amount.minor;
        currency = event.movements.front().amount.currency.str();
        effect_key = event.movements.front().effect_key.str();
    }
    for (const EffectKey& need : event.needs) needs.push_back(need.str());
    out.member("account", filled(event.account)).member("amount", amount);
    out.member("currency", currency);
    out.member("amount_is", moves && event.movements.front().is_total ? "total" : "delta");
    out.member("effect_key", effect_key);
    write_texts(out, "needs", needs);
    out.key("movements").begin_array();
    for (const providers::Movement& one : event.movements) {
        out.begin_object().member("effect", providers::to_text(one.kind));
        out.member("account", filled(one.account.str())).member("amount", one.amount.minor);
        out.member("currency", one.amount.currency.code());
        out.member("effect_key", one.effect_key.str()).end_object();
    }
    out.end_array();
}

void write_event(json::Writer& out, const Event& event) {
    std::optional<std::int64_t> sequence;
    if (event.sequence) sequence = event.sequence->value;
    out.begin_object().member("event_id", event.event_id.str());
    out.member("type", filled(event.type)).member("object", filled(event.object));
    out.member("sequence", sequence).member("quarantine", filled(event.quarantine));
    out.member("refusal", filled(event.refusal)).member("note", filled(event.note));
    out.member("action", providers::to_text(event.action));
    write_movement(out, event);
    out.member("order", providers::to_text(event.order));
    out.member("sequence_scope", filled(event.sequence_rule.scope));
    out.member("workflow", filled(event.workflow));
    out.member("start_key", filled(event.start_key.str()));
    write_texts(out, "jobs", event.jobs);
    out.member("fingerprint", event.fingerprint).member("body_sha256", event.body_sha256);
    out.member("body_offset", static_cast<std::int64_t>(event.body_offset));
    out.member("body_size", static_cast<std::int64_t>(event.body_size)).end_object();
}

}  // namespace

std::string verdict_json(const providers::Provider& provider, const providers::Delivery& delivery,
                         const providers::Received& received) {
    json::Writer out;
    out.begin_object().member("provider", provider.name());
    out.member("books", provider.config().books);
    out.member("mode", to_text(provider.config().mode));
    out.member("authentic", received.verdict != providers::Verdict::refused);
    out.member("diagnosis", received.diagnosis).member("detail", filled(received.detail));
    out.member("would_answer", answer_of(received));
    out.member("judged_at", to_rfc3339(delivery.received_at)).member("batch", received.batch);
    out.key("events").begin_array();
    for (const Event& event : received.events) write_event(out, event);
    return out.end_array().end_object().take();
}

}  // namespace pawl::app
