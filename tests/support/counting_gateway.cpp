#include "tests/support/counting_gateway.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

namespace pawl::testing {

using namespace outbound;

namespace {

// "word key amount capturable capture"
std::string word_of(const std::string& body, int nth) {
    std::size_t from = 0;
    for (int i = 0; i < nth; ++i) from = body.find(' ', from) + 1;
    return body.substr(from, body.find(' ', from) - from);
}

GatewayOutcome ending_of(const std::string& word) {
    if (word == "succeeded") return GatewayOutcome::succeeded;
    if (word == "declined") return GatewayOutcome::declined;
    if (word == "authorized") return GatewayOutcome::authorized;
    if (word == "requires_action") return GatewayOutcome::requires_action;
    if (word == "processing") return GatewayOutcome::processing;
    if (word == "canceled") return GatewayOutcome::canceled;
    if (word == "not_found") return GatewayOutcome::not_found;
    return GatewayOutcome::unknown;
}

GatewayResult read(const HttpResult& outcome, bool in_doubt) {
    GatewayResult answer;
    if (const auto* failure = std::get_if<HttpFailure>(&outcome)) {
        answer.note = failure->what;
        return answer;
    }
    const auto& reply = std::get<HttpReply>(outcome);
    answer.status = reply.status;
    answer.body = reply.body;
    if (reply.status == 200) {
        answer.ending = ending_of(word_of(reply.body, 0));
        if (answer.ending == GatewayOutcome::not_found) return answer;
        answer.reference = "ref_" + word_of(reply.body, 1);
        const std::string moved = word_of(reply.body, 2);
        const Currency usd = Currency::parse("USD").value();
        if (moved != "-") answer.moved = Money{std::stoll(moved), usd};
        const std::string left = word_of(reply.body, 3);
        if (left != "-") answer.capturable = Money{std::stoll(left), usd};
        if (answer.ending == GatewayOutcome::requires_action)
            answer.action = {{"redirect", "https://pay", ""}};
        return answer;
    }
    answer.note = fmt::format("HTTP {}", reply.status);
    if (const auto after = reply.header("Retry-After")) {
        answer.retry_after = std::chrono::seconds(std::stoll(std::string(*after)));
    }
    answer.may_retry = word_of(reply.body, 0) != "stored";
    const bool refused = reply.status == 400 || reply.status == 401 || reply.status == 429;
    if (refused && !in_doubt) answer.ending = GatewayOutcome::refused;
    return answer;
}

// "list", and a line for each object.
std::optional<GatewayResult> read_list(const HttpResult& outcome, const std::string& key) {
    const auto* reply = std::get_if<HttpReply>(&outcome);
    if (reply == nullptr || !reply->body.starts_with("list")) return std::nullopt;
    GatewayResult found;
    found.status = reply->status;
    found.ending = GatewayOutcome::not_found;
    std::vector<FoundObject> others;
    std::istringstream lines(reply->body);
    std::string line;
    for (std::getline(lines, line); std::getline(lines, line);) {
        const GatewayResult one = read(HttpReply{200, {}, line}, true);
        const std::string other = word_of(line, 1);
        if (other == key) found = one;
        if (other != key) others.push_back({other, one.reference, one.ending});
    }
    found.others = std::move(others);
    return found;
}

void read_as_capture(const HttpResult& outcome, const std::string& key, GatewayResult& answer) {
    const auto* reply = std::get_if<HttpReply>(&outcome);
    if (reply == nullptr || reply->status != 200) return;
    const GatewayOutcome payment = answer.ending;
    if (word_of(reply->body, 4) == key) {
        answer.ending = GatewayOutcome::succeeded;
    } else if (payment == GatewayOutcome::authorized) {
        answer.ending = GatewayOutcome::not_found;
    } else if (payment == GatewayOutcome::succeeded) {
        answer.ending = GatewayOutcome::failed;
    }
}

}  // namespace

CountingGateway::CountingGateway(std::string name) {
    config_.name = name;
    config_.books = name;
}

Call CountingGateway::charge(const Charge& charge) const {
    return {"POST", "/charge", "text/plain",
            fmt::format("charge {} {}{}", charge.key, charge.amount.minor,
                        charge.manual_capture ? " manual" : "")};
}

Call CountingGateway::refund(const Refund& refund) const {
    return {"POST", "/refund", "text/plain",
            fmt::format("refund {} {}", refund.key, refund.amount.minor)};
}

Call CountingGateway::cancel(const std::string& reference) const {
    return {"POST", "/cancel", "text/plain", "cancel " + reference.substr(4) + " 0"};
}

Call CountingGateway::capture(const Capture& capture) const {
    return {"POST", "/capture", "text/plain",
            fmt::format("capture {} {} {} {}", capture.keys.payment, capture.amount.minor,
                        capture.keys.capture, capture.final ? "final" : "more")};
}

Call CountingGateway::find_charge(const std::string& key, const std::string& reference) const {
    const std::string found = reference.starts_with("ref_") ? reference.substr(4) : reference;
    return {"GET", "/find", "", "find " + (found.empty() ? key : found) + " 0"};
}

Call CountingGateway::find_refund(const std::string& key, const std::string&) const {
    if (lists_refunds) return {"GET", "/find", "", "list " + key.substr(0, key.rfind(':') + 1)};
    return {"GET", "/find", "", "find " + key + " 0"};
}

Call CountingGateway::find_charges_of(const std::string& order) const {
    return {"GET", "/find", "", "list pay:" + order + ": 0"};
}

GatewayResult CountingGateway::read_charge(const HttpResult& outcome, const std::string&,
                                           bool in_doubt) const {
    GatewayResult answer = read(outcome, in_doubt);
    answer.open_there = declines_stay_open && answer.ending == GatewayOutcome::declined;
    if (answer.ending == GatewayOutcome::authorized) answer.capture_before = capture_before;
    return answer;
}

GatewayResult CountingGateway::read_refund(const HttpResult& outcome, const std::string&,
                                           bool in_doubt) const {
    return read(outcome, in_doubt);
}

GatewayResult CountingGateway::read_cancel(const HttpResult& outcome, const std::string&) const {
    return read(outcome, false);
}

GatewayResult CountingGateway::read_capture(const HttpResult& outcome, const CaptureKeys& keys,
                                            bool in_doubt) const {
    GatewayResult answer = read(outcome, in_doubt);
    read_as_capture(outcome, keys.capture, answer);
    return answer;
}

GatewayResult CountingGateway::read_found_capture(const HttpResult& outcome,
                                                  const CaptureKeys& keys) const {
    GatewayResult answer = read_found_charge(outcome, keys.payment);
    if (answer.ending != GatewayOutcome::foreign) {
        read_as_capture(outcome, keys.capture, answer);
    }
    return answer;
}

GatewayResult CountingGateway::read_found_charge(const HttpResult& outcome,
                                                 const std::string& key) const {
    if (auto listed = read_list(outcome, key)) return *listed;
    GatewayResult answer = read(outcome, true);
    if (answer.reference.empty() || answer.reference == reference_of(key)) return answer;
    GatewayResult foreign;
    foreign.ending = GatewayOutcome::foreign;
    foreign.status = answer.status;
    foreign.note = "the object found carries another key";
    return foreign;
}

GatewayResult CountingGateway::read_found_refund(const HttpResult& outcome,
                                                 const std::string& key) const {
    if (auto listed = read_list(outcome, key)) return *listed;
    return read(outcome, true);
}

// The interface is for gateways without a memory; this one is all memory.
HttpResult CountingGateway::send(const Call& call, const std::string& key,
                                 const CorrelationId& correlation_id,
                                 const std::atomic<bool>*) const {
    auto* self = const_cast<CountingGateway*>(this);
    self->correlation_ids.push_back(correlation_id.str());
    std::optional<HttpResult> looked;
    if (key.empty() && answers_before_send) looked = self->look(call);
    if (during_send) during_send();
    if (looked) return *looked;
    if (key.empty()) return self->look(call);
    return self->execute(call, key);
}

HttpReply CountingGateway::reply(int status, const std::string& word,
                                 const std::string& key) const {
    const auto amount = amount_.find(key);
    std::int64_t moved = amount == amount_.end() ? 0 : amount->second - moves_less;
    std::string left = "-", last = "-";
    const auto authorized = authorizations_.find(key);
    if (authorized != authorizations_.end()) {
        moved = authorized->second.captured;
        left = std::to_string(authorized->second.left);
        if (!authorized->second.last.empty()) last = authorized->second.last;
    }
    const bool names = names_amounts && (authorized == authorizations_.end() || moved > 0);
    return {
        status,
        {},
        fmt::format("{} {} {} {} {}", word, key, names ? std::to_string(moved) : "-", left, last)};
}

HttpResult CountingGateway::look(const Call& call) {
    ++lookups;
    if (down) return HttpFailure{"down", true, false};
    if (busy) return HttpReply{503, {{"Retry-After", std::to_string(busy->count())}}, "busy"};
    const std::string key = word_of(call.body, 1);
    if (call.body.starts_with("list ")) return list(key);
    const auto found = state_.find(key);
    if (found == state_.end() || !lookup_finds) return reply(200, "not_found", key);
    return reply(200, found->second, key);
}

HttpReply CountingGateway::list(const std::string& prefix) const {
    std::string body = "list";
    for (const auto& [key, word] : state_) {
        if (lookup_finds && key.starts_with(prefix)) body += "\n" + reply(200, word, key).body;
    }
    return {200, {}, body};
}

void CountingGateway::release(const std::string& key) {
    Authorization& own = authorizations_[key];
    own.left = 0;
    state_[key] = own.captured > 0 ? "succeeded" : "canceled";
}

void CountingGateway::capture_elsewhere(const std::string& key, std::int64_t amount, bool final) {
    Authorization& own = authorizations_[key];
    own.captured += amount;
    own.left -= amount;
    if (final || own.left == 0) release(key);
}

// "capture <payment> <amount> <capture> final|more"
HttpReply CountingGateway::capture(const std::string& body) {
    const std::string key = word_of(body, 1);
    const std::int64_t amount = std::stoll(word_of(body, 2));
    Authorization& own = authorizations_[key];
    if (state_[key] != "authorized" || amount > own.left) return reply(400, "stored", key);
    own.last = word_of(body, 3);
    ++captures_done[own.last];
    capture_elsewhere(key, amount - moves_less, word_of(body, 4) == "final");
    return reply(200, state_[key], key);
}

int CountingGateway::sends_of(const std::string& key) const {
    return static_cast<int>(
        std::count_if(sends.begin(), sends.end(), [&](const Seen& one) { return one.key == key; }));
}

HttpResult CountingGateway::execute(const Call& call, const std::string& key) {
    sends.push_back({key, call.body});
    if (down) return HttpFailure{"down", true, false};
    const Fault fault = faults.empty() ? Fault::none : faults.front();
    if (!faults.empty()) faults.pop_front();
    switch (fault) {
        case Fault::timeout_before:
            return HttpFailure{"timed out", false, false};
        case Fault::server_error:
            return reply(500, "error", key);
        case Fault::stored_error:
            return reply(500, "stored", key);
        case Fault::malformed:
            return reply(400, "stored", key);
        case Fault::conflict:
            return reply(409, "conflict", key);
        case Fault::too_many:
            return reply(429, "slower", key);
        case Fault::unauthorized:
            return reply(401, "who", key);
        default:
            break;
    }
    if (const auto known = known_.find(key); known != known_.end() && !forgets_keys) {
        return known->second;
    }
    const std::string what = word_of(call.body, 0);
    const std::string subject = word_of(call.body, 1);
    if (what == "cancel") {
        if (state_[subject] == "succeeded") return reply(400, "too late", subject);
        if (state_[subject] == "authorized") ++voids[subject];
        if (authorizations_.contains(subject)) release(subject);
        if (!authorizations_.contains(subject)) state_[subject] = "canceled";
        if (fault == Fault::timeout_after) return HttpFailure{"timed out", false, false};
        return reply(200, state_[subject], subject);
    }
    if (what == "capture") {
        if (fault == Fault::declined) return reply(200, "declined", subject);
        known_[key] = capture(call.body);
        if (fault == Fault::timeout_after) return HttpFailure{"timed out", false, false};
        return known_[key];
    }
    amount_[subject] = std::stoll(word_of(call.body, 2));
    state_[subject] = fault == Fault::declined          ? "declined"
                      : fault == Fault::requires_action ? "requires_action"
                      : fault == Fault::processing      ? "processing"
                      : call.body.ends_with(" manual")  ? "authorized"
                                                        : "succeeded";
    if (call.body.ends_with(" manual")) authorizations_[subject].left = amount_[subject];
    if (state_[subject] == "succeeded") ++(what == "refund" ? refunds_done : charges)[subject];
    known_[key] = reply(200, state_[subject], subject);
    if (fault == Fault::timeout_after) return HttpFailure{"timed out", false, false};
    return known_[key];
}

}  // namespace pawl::testing
