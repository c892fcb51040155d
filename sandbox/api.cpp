#include "sandbox/api.hpp"

#include <algorithm>
#include <charconv>

#include "base/crypto.hpp"
#include "base/encoding.hpp"
#include "sandbox/book_parts.hpp"

namespace pawl::sandbox {
namespace {

using std::chrono::milliseconds;

Reply reply_of(const Done& done) {
    return {done.status, done.body, {}};
}

Reply broken(Manner manner, milliseconds silence = {}) {
    Reply reply;
    reply.manner = manner;
    reply.silence = silence;
    return reply;
}

milliseconds ms_of(const Fault& fault) {
    return milliseconds(fault.arg);
}

std::size_t page_of(const Request& request) {
    std::size_t limit = 10;  // Stripe's default, and at most 100
    const std::string text = value_of(request.query, "limit").value_or("10");
    std::from_chars(text.data(), text.data() + text.size(), limit);
    return std::clamp<std::size_t>(limit, 1, 100);
}

Done server_error() {
    return {500, error_as_json("api_error", "", "An error occurred. It was on purpose."), {}, {}};
}

// Errors found before the operation begins.
std::optional<Reply> spoiled_before(const FaultList& faults) {
    if (has(faults, FaultKind::reset_before)) return broken(Manner::reset);
    if (const Fault* fault = find(faults, FaultKind::timeout_before)) {
        return broken(Manner::silence, ms_of(*fault));
    }
    if (has(faults, FaultKind::conflict)) {
        return Reply{
            409, error_as_json("idempotency_error", "", "The key is in use, it is said."), {}};
    }
    if (const Fault* fault = find(faults, FaultKind::rate_limit)) {
        return Reply{429,
                     error_as_json("invalid_request_error", "rate_limit", "Too many requests."),
                     {{"Retry-After", std::to_string(fault->arg)}}};
    }
    if (has(faults, FaultKind::unavailable)) {
        return Reply{503, error_as_json("api_error", "", "Not now."), {}};
    }
    return std::nullopt;
}

Reply spoiled_after(Reply reply, const FaultList& faults) {
    if (has(faults, FaultKind::reset_after)) return broken(Manner::reset);
    if (const Fault* fault = find(faults, FaultKind::timeout_after)) {
        return broken(Manner::silence, ms_of(*fault));
    }
    return reply;
}

Fate fate_of(const FaultList& faults) {
    if (has(faults, FaultKind::decline) || has(faults, FaultKind::late_success)) {
        return Fate::declined;
    }
    if (has(faults, FaultKind::requires_action)) return Fate::requires_action;
    if (has(faults, FaultKind::processing)) return Fate::processing;
    return Fate::succeeds;
}

// Re-sends carry the same payment method: what it says of the connection holds for the first send.
bool of_the_connection(FaultKind kind) {
    return kind <= FaultKind::timeout_after;
}

std::optional<Fault> named_by(const std::string& payment_method) {
    if (payment_method == "pm_card_declined" || payment_method == "pm_card_chargeDeclined") {
        return Fault{FaultKind::decline, 0};
    }
    if (payment_method == "pm_card_authenticationRequired") {
        return Fault{FaultKind::requires_action, 0};
    }
    if (!payment_method.starts_with("pm_")) return std::nullopt;
    const auto fault = parse_fault(std::string_view(payment_method).substr(3));
    return fault ? std::optional(*fault) : std::nullopt;
}

// metadata['key']:'value', with quotes and backslashes escaped: the only query that is supported.
std::optional<std::pair<std::string, std::string>> parse_query(std::string_view text) {
    const auto quoted = [&](std::string_view before) -> std::optional<std::string> {
        if (!text.starts_with(before)) return std::nullopt;
        text.remove_prefix(before.size());
        std::string inside;
        while (!text.empty() && text.front() != '\'') {
            if (text.front() == '\\') text.remove_prefix(1);
            if (text.empty()) return std::nullopt;
            inside += text.front();
            text.remove_prefix(1);
        }
        if (text.empty()) return std::nullopt;
        text.remove_prefix(1);
        return inside;
    };
    auto name = quoted("metadata['");
    auto value = name ? quoted("]:'") : std::nullopt;
    if (!value || !text.empty()) return std::nullopt;
    return std::pair(std::move(*name), std::move(*value));
}

}  // namespace

Reply Api::handle(const Request& request) {
    if (world_.faults.down()) return broken(Manner::reset);
    if (!authorised(request)) {
        return {401, error_as_json("invalid_request_error", "", "Invalid API Key provided."), {}};
    }
    if (request.method == "POST") return act(request);
    if (request.method == "GET") return ask(request);
    return reply_of(refusal(404, "", "Unrecognized request method."));
}

bool Api::authorised(const Request& request) const {
    const std::string given = request.header("Authorization").value_or("");
    const std::string& key = world_.options.api_key;
    return crypto::equal(given, "Bearer " + key) ||
           crypto::equal(given, "Basic " + to_base64(key + ":"));
}

Result<FaultList> Api::faults_for(const Request& request, const Fields& form,
                                  const std::string& key) {
    const std::int64_t nth = key.empty() ? ++without_key_ : world_.keys.seen(key);
    if (const auto header = request.header("X-Sandbox-Fault")) return parse_faults(*header);
    FaultList faults = world_.faults.draw(key, static_cast<std::uint64_t>(nth));
    const auto named = named_by(value_of(form, "payment_method").value_or(""));
    if (named && (nth == 1 || !of_the_connection(named->kind))) faults.push_back(*named);
    return faults;
}

Reply Api::ask(const Request& request) {
    const auto faults = faults_for(request, {}, "");
    if (!faults) return reply_of(refusal(400, "", faults.error().message));
    world_.faults.count(*faults);
    if (auto spoiled = spoiled_before(*faults)) return *spoiled;
    if (const Fault* fault = find(*faults, FaultKind::latency)) {
        world_.schedule.sleep(ms_of(*fault));
    }
    const bool fails = has(*faults, FaultKind::error) || has(*faults, FaultKind::error_after);
    return spoiled_after(reply_of(fails ? server_error() : look_up(request)), *faults);
}

Done Api::look_up(const Request& request) const {
    constexpr std::string_view intents = "/v1/payment_intents/";
    constexpr std::string_view refunds = "/v1/refunds/";
    const std::string& path = request.path;
    if (path == "/v1/payment_intents/search") {
        const auto query = parse_query(value_of(request.query, "query").value_or(""));
        if (!query) {
            return refusal(400, "", "Only metadata['NAME']:'VALUE' is understood as a query.");
        }
        const Time until = world_.clock.now() - world_.options.search_lag;
        return world_.book.search(query->first, query->second, until, page_of(request));
    }
    if (path.starts_with(intents)) {
        const bool expanded = value_of(request.query, "expand[]") == "latest_charge";
        return world_.book.find(path.substr(intents.size()), expanded);
    }
    if (path.starts_with(refunds)) return world_.book.find_refund(path.substr(refunds.size()));
    if (path == "/v1/refunds") {
        const std::string of = value_of(request.query, "payment_intent").value_or("");
        return world_.book.list_refunds(of, page_of(request));
    }
    return refusal(404, "", "Unrecognized request URL (GET: " + path + ").");
}

Reply Api::act(const Request& request) {
    const std::string key = request.header("Idempotency-Key").value_or("");
    const auto form = decode_form(request.body);
    if (!form) return reply_of(refusal(400, "", "The body is not a form."));
    const auto faults = faults_for(request, *form, key);
    if (!faults) return reply_of(refusal(400, "", faults.error().message));
    world_.faults.count(*faults);
    if (auto spoiled = spoiled_before(*faults)) return *spoiled;
    const auto read = read_action(request.path, *form, key);
    // A request that fails before it begins is not stored under its key.
    if (const auto* wrong = std::get_if<Done>(&read)) return reply_of(*wrong);
    const Action& action = std::get<Action>(read);
    if (!key.empty()) return act_under_key(request, action, key, *faults);
    return spoiled_after(reply_of(execute(action, *faults)), *faults);
}

Reply Api::act_under_key(const Request& request, const Action& action, const std::string& key,
                         const FaultList& faults) {
    using Known = KeyMemory::Known;
    const std::string fingerprint = request.path + "\n" + request.body;
    const auto begun = world_.keys.begin(key, fingerprint, world_.clock.now());
    switch (begun.known) {
        case Known::in_use:
            return {409, error_as_json("idempotency_error", "", "The key is in use."), {}};
        case Known::other_request:
            return {
                400,
                error_as_json("idempotency_error", "", "The key was used with another request."),
                {}};
        case Known::answered:
            return spoiled_after(
                {begun.answer.status, begun.answer.body, {{"Idempotent-Replayed", "true"}}},
                faults);
        case Known::is_new:
            break;
    }
    const Done done = execute(action, faults);
    world_.keys.finish(key, {done.status, done.body});
    return spoiled_after(reply_of(done), faults);
}

Done Api::execute(const Action& action, const FaultList& faults) {
    if (const Fault* fault = find(faults, FaultKind::latency)) {
        world_.schedule.sleep(ms_of(*fault));
    }
    if (has(faults, FaultKind::error)) return server_error();
    const Time now = world_.clock.now();
    const Fault* partial = find(faults, FaultKind::partial);
    const int percent = partial == nullptr ? 100 : partial->arg;
    const Fate fate = fate_of(faults);
    Done done;
    if (const auto* intent = std::get_if<NewIntent>(&action)) {
        done = world_.book.create(*intent, fate, percent, now);
    } else if (const auto* refund = std::get_if<NewRefund>(&action)) {
        done = world_.book.create_refund(*refund, fate, now);
    } else if (const auto* capture = std::get_if<NewCapture>(&action)) {
        done = world_.book.capture(*capture, fate, percent, now);
    } else if (const auto* confirm = std::get_if<Confirm>(&action)) {
        done = world_.book.confirm(confirm->id, fate, percent, now);
    } else {
        done = world_.book.cancel(std::get<Cancel>(action).id, now);
    }
    send_webhooks(done.events, faults);
    settle_later(action, done, faults);
    return has(faults, FaultKind::error_after) ? server_error() : done;
}

void Api::send_webhooks(const std::vector<Event>& events, const FaultList& faults) {
    if (has(faults, FaultKind::webhook_never)) return;
    const Fault* first = find(faults, FaultKind::webhook_first);
    const Fault* late = find(faults, FaultKind::webhook_late);
    const Fault* repeated = find(faults, FaultKind::webhook_repeated);
    const milliseconds delay = late == nullptr ? milliseconds(0) : ms_of(*late);
    for (const Event& event : events) {
        const int times = repeated == nullptr ? 1 : repeated->arg;
        for (int i = first == nullptr ? 0 : 1; i < times; ++i) world_.webhooks.send(event, delay);
        if (first != nullptr) world_.webhooks.send_and_wait(event, ms_of(*first));
    }
}

void Api::settle_later(const Action& action, const Done& done, const FaultList& faults) {
    const Fault* fault = find(faults, FaultKind::processing);
    if (fault == nullptr) fault = find(faults, FaultKind::late_success);
    const bool at_once =
        std::holds_alternative<Cancel>(action) || std::holds_alternative<NewCapture>(action);
    if (fault == nullptr || done.id.empty() || at_once) return;
    const bool refund = std::holds_alternative<NewRefund>(action);
    world_.schedule.after(ms_of(*fault), [this, refund, id = done.id, faults] {
        const Time now = world_.clock.now();
        send_webhooks(refund ? world_.book.settle_refund(id, now) : world_.book.settle(id, now),
                      faults);
    });
}

}  // namespace pawl::sandbox
