#include "app/wiring_workflows.hpp"

#include "intents/accept/accept.hpp"
#include "workflows/registry.hpp"

namespace pawl::app {
namespace {

const char* to_text(GatewayKind kind) {
    switch (kind) {
        case GatewayKind::stripe:
            return "stripe";
        case GatewayKind::adyen:
            return "adyen";
        case GatewayKind::generic:
            break;
    }
    return "generic";
}

outbound::Replays replays_of(Replays replays) {
    if (replays == Replays::success) return outbound::Replays::success;
    return replays == Replays::latest ? outbound::Replays::latest : outbound::Replays::all;
}

std::optional<Duration> final_after(const std::string& lookup) {
    if (lookup == "never") return std::nullopt;
    if (lookup == "authoritative") return Duration{};
    return parse_duration(lookup.substr(std::string_view("after:").size())).value();
}

outbound::GatewayConfig config_of(const GatewayFile& file, const Settings& settings) {
    outbound::GatewayConfig config;
    config.name = file.name;
    config.books = books_in(settings.server.mode, file.books);
    config.kind = to_text(file.kind);
    config.base_url = file.base_url;
    config.api_key = file.api_key;
    config.horizon = {file.charge_horizon.value_or(file.key_horizon),
                      file.capture_horizon.value_or(file.key_horizon),
                      file.refund_horizon.value_or(file.key_horizon)};
    config.replays = replays_of(file.replays);
    config.not_found_final_after = final_after(file.lookup);
    config.lease = settings.work.lease;
    config.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(file.timeout);
    config.max_in_flight = file.max_in_flight;
    config.max_per_second = file.max_per_second;
    config.allow_private = file.allow_private;
    return config;
}

// The shape in which the provider of these books reports captures: webhooks and payments are keyed
// alike.
CaptureShape captures_in(const Settings& settings, const std::string& books) {
    for (const ProviderFile& file : settings.providers) {
        if (file.config.books == books) return file.config.captures;
    }
    return CaptureShape::one;
}

}  // namespace

Result<workflows::Gateways> make_gateways(const Settings& settings) {
    workflows::Gateways gateways;
    for (const GatewayFile& file : settings.gateways) {
        if (!file.on) continue;
        outbound::GatewayConfig config = config_of(file, settings);
        config.captures = captures_in(settings, file.books);
        auto gateway = outbound::make_gateway(std::move(config));
        if (!gateway) return invalid(file.file + ": " + gateway.error().message);
        gateways.emplace(file.name, std::move(*gateway));
    }
    return gateways;
}

workflows::WorkflowDeps workflow_parts(const workflows::Gateways& gateways, Metrics& metrics) {
    return {gateways, intents::post_money,
            metrics.counter("pawl_external_calls_total", "Calls to payment APIs, by outcome.",
                            {"gateway", "outcome"})};
}

std::vector<workflows::Workflow> shipped_workflows(const workflows::WorkflowDeps& parts) {
    std::vector<workflows::Workflow> shipped;
    for (const workflows::Registered& one : workflows::registry) shipped.push_back(one.make(parts));
    return shipped;
}

workflows::EngineOptions engine_options(const workflows::Gateways& gateways,
                                        const WorkSettings& settings,
                                        std::function<void()> on_commit) {
    workflows::EngineOptions options;
    options.on_commit = std::move(on_commit);
    options.lease = std::chrono::ceil<std::chrono::seconds>(settings.lease);
    for (const auto& [name, gateway] : gateways) {
        options.lanes[name] = {gateway->config().max_in_flight, gateway->config().max_per_second};
    }
    return options;
}

}  // namespace pawl::app
