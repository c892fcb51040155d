#include "app/canary.hpp"

#include <fmt/core.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/rng.hpp"

namespace pawl::app {
namespace {

constexpr int sends = 3;

Error unexpected(const char* what, const outbound::HttpReply& reply) {
    return refused(fmt::format("{} was answered {}: {}", what, reply.status,
                               std::string_view(reply.body).substr(0, 300)));
}

// The number at the pointer; nothing where there is none.
std::optional<std::string> text_at(const std::string& body, const std::string& pointer) {
    const auto document = json::Document::parse(body);
    if (!document) return std::nullopt;
    const auto value = document->root().at(json::Pointer::parse(pointer).value());
    return value ? value->text() : std::nullopt;
}

}  // namespace

Canary::Canary(const CanarySettings& settings, const GatewayFile& gateway, std::string base_url,
               std::string token, const Clock& clock, Metrics& metrics)
    : settings_(settings),
      gateway_url_(gateway.base_url),
      base_url_(std::move(base_url)),
      token_(std::move(token)),
      clock_(clock),
      ok_(metrics
              .gauge("pawl_canary_ok",
                     "1: the last small order, its key sent three times, was charged once.")
              .alone()),
      runs_(metrics.counter("pawl_canary_runs_total", "Small orders of the canary.", {"result"})),
      loop_("canary", [this] {
          run_once();
          return std::chrono::ceil<Loop::Pause>(settings_.interval);
      }) {}

Canary::~Canary() {
    stop();
}

Result<outbound::HttpReply> Canary::ask(const std::string& method, const std::string& path,
                                        const std::string& body, const std::string& key) const {
    outbound::HttpRequest request;
    request.method = method;
    request.url = base_url_ + path;
    request.body = body;
    request.headers = {{"Authorization", "Bearer " + token_}, {"Content-Type", "application/json"}};
    if (!key.empty()) request.headers.emplace_back("Idempotency-Key", key);
    request.within = std::chrono::seconds(20);
    request.unwanted = &stopping_;
    request.allow_private = true;  // the process's own listener
    const auto outcome = outbound::send(request);
    if (const auto* reply = std::get_if<outbound::HttpReply>(&outcome)) return *reply;
    return unreachable(method + " " + path + ": " + std::get<outbound::HttpFailure>(outcome).what);
}

// Posted by Pawl and, where the gateway is `pawl sandbox`, counted by the sandbox itself.
Result<void> Canary::check_counts(const std::string& order) const {
    const auto seen = ask("GET", "/v1/orders/" + order, "", "");
    if (!seen) return seen.error();
    const bool one = text_at(seen->body, "/payments/0/state") == "succeeded" &&
                     !text_at(seen->body, "/payments/1/state");
    if (!one) return unexpected("the order", *seen);

    outbound::HttpRequest request;
    request.url = gateway_url_ + "/sandbox/counts";
    request.unwanted = &stopping_;
    request.allow_private = true;
    const auto outcome = outbound::send(request);
    const auto* counts = std::get_if<outbound::HttpReply>(&outcome);
    if (counts == nullptr || counts->status != 200) return {};
    const auto count = text_at(counts->body, "/by_order/" + order);
    if (count == "1") return {};
    return refused(fmt::format("the sandbox has charged {} {} times", order, count.value_or("0")));
}

Result<void> Canary::try_it() {
    SecureRng rng;
    const std::string order =
        "canary-" + to_rfc3339(clock_.now()).substr(0, 10) + "-" + random_token(rng, 9);
    const std::string key = uuid_v4(rng);
    json::Writer body;
    body.begin_object().member("amount", settings_.amount).member("currency", settings_.currency);
    body.member("account", "canary").member("gateway", settings_.gateway).end_object();
    const auto made = ask("PUT", "/v1/orders/" + order, body.take(), "");
    if (!made) return made.error();
    if (made->status != 201) return unexpected("the order", *made);
    std::string first;
    for (int i = 0; i < sends; ++i) {
        const auto paid = ask("POST", "/v1/orders/" + order + "/payments", "{}", key);
        if (!paid) return paid.error();
        if (paid->status != 201) return unexpected("the payment", *paid);
        if (i == 0) first = paid->body;
        if (paid->body != first)
            return unexpected("a retry, with other bytes than the first,", *paid);
    }
    return check_counts(order);
}

bool Canary::run_once() {
    Result<void> result;
    try {
        result = try_it();
    } catch (const db::Failure& failure) {
        result = unreachable(failure.what());
    }
    if (!result && stopping_) return false;  // its server is going
    ok_.set(result ? 1 : 0);
    runs_.with({result ? "ok" : "failed"}).add();
    if (!result)
        log::error("canary failed: its order was not paid exactly once",
                   {{"error", result.error().message}});
    return result.ok();
}

Result<std::unique_ptr<Canary>> make_canary(const Settings& settings, std::uint16_t port,
                                            const std::string& token, const Clock& clock,
                                            Metrics& metrics) {
    if (!settings.canary.enabled) return std::unique_ptr<Canary>();
    const std::string& host = settings.server.listen.host;
    const std::string url =
        fmt::format("http://{}:{}", host == "0.0.0.0" ? "127.0.0.1" : host, port);
    for (const GatewayFile& gateway : settings.gateways) {
        if (gateway.name != settings.canary.gateway) continue;
        return std::make_unique<Canary>(settings.canary, gateway, url, token, clock, metrics);
    }
    return invalid(
        fmt::format("[canary] is enabled, and no gateway \"{}\" is on; see config/gateways",
                    settings.canary.gateway));
}

void Canary::drain() {
    stopping_ = true;
    loop_.drain();
}

void Canary::stop() {
    drain();
    loop_.join();
}

}  // namespace pawl::app
