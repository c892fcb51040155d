// Lints whether the signature covers the fields that the rules read.
#include <fmt/core.h>

#include "base/text.hpp"
#include "providers/provider_traits.hpp"
#include "settings/lint/lint.hpp"

namespace pawl::app {
namespace {

using providers::Alg;
using providers::Covers;
using providers::SchemeConfig;

bool is_token(const SchemeConfig& scheme) {
    return scheme.alg == Alg::token || scheme.alg == Alg::token_sha256;
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

void lint_table(const ProviderFile& file, const SchemeConfig& scheme, Findings& into) {
    if (is_token(scheme) && scheme.covers != Covers::none) {
        into.push_back({Severity::error, file.place_of("scheme.covers"),
                        "a token is said to cover the body", "it is the same for every body",
                        "write covers = \"none\""});
    }
    if (!is_token(scheme) && scheme.covers == Covers::full && !contains(scheme.sign, "{body}")) {
        into.push_back({Severity::error, file.place_of("scheme.sign"),
                        "the signed text has no {body}, but covers is \"full\"",
                        "an unsigned part can be changed by any sender",
                        "sign {body}, or write covers = \"partial\""});
    }
    if (contains(scheme.sign, "{ts}") && !scheme.timestamp) {
        into.push_back({Severity::error,
                        file.place_of("scheme.sign"),
                        "{ts} is signed, but nothing says where it comes from",
                        {},
                        "add timestamp = {from = \"header:NAME\"}"});
    }
    if (contains(scheme.sign, "{url}") && file.config.url.empty()) {
        into.push_back({Severity::error,
                        file.place_of("scheme.sign"),
                        "{url} is signed, but the file has no url",
                        {},
                        "write url = \"https://...\" as it is registered there"});
    }
}

void lint_preset(const ProviderFile& file, const providers::ProviderTraits& sender,
                 Findings& into) {
    const auto& config = file.config;
    if (sender.signs_url && config.url.empty()) {
        into.push_back({Severity::error, file.place_of("scheme"),
                        fmt::format("{} signs the URL, but the file has no url", config.preset),
                        "what a proxy makes of it is not what was signed",
                        "write url = \"https://...\" as it is registered there"});
    }
    if (sender.shared_key && config.read.expect.empty()) {
        into.push_back({Severity::error, file.place_of("read"),
                        fmt::format("[read] expects nothing, though {} uses one key for all of its "
                                    "customers",
                                    config.preset),
                        "another customer's event would be taken for yours",
                        "add expect = {\"/pointer\" = [\"your id\"]}"});
    }
    if (config.preset == "paypal" && config.webhook_id.empty()) {
        into.push_back({Severity::error,
                        file.place_of("scheme"),
                        "paypal signs the webhook's id, but the file has no webhook_id",
                        {},
                        "write webhook_id = \"...\" from PayPal's dashboard"});
    }
}

void lint_confirmation(const ProviderFile& file, Findings& into) {
    const Covers covers = covers_of(file.config);
    const auto& rules = file.config.rules;
    for (std::size_t i = 0; covers != Covers::full && i < rules.size(); ++i) {
        const auto& rule = rules[i];
        if (!moves_money(rule) || rule.confirm_by_fetch || rule.trust_transport) continue;
        into.push_back(
            {Severity::error, file.place_of(path_of_rule(i)),
             fmt::format("rule \"{}\" moves money on what no signature covers", rule.when),
             "a sender that learns the token can name any amount",
             "write confirm = \"fetch\", or trust = \"transport\" if the network is "
             "proof enough"});
    }
}

}  // namespace

Covers covers_of(const providers::ProviderConfig& config) {
    if (config.scheme) return config.scheme->covers;
    const providers::ProviderTraits* sender = providers::traits_of(config.preset);
    if (sender == nullptr || sender->fetches) return Covers::full;
    return sender->covers;
}

bool header_is_signed(const providers::ProviderConfig& config, std::string_view name) {
    if (config.preset == "standard-webhooks" || config.preset == "svix") {
        return equal_ignoring_case(name, "webhook-id") || equal_ignoring_case(name, "svix-id");
    }
    if (!config.scheme) return false;
    const auto& scheme = *config.scheme;
    const std::string source = "header:" + std::string(name);
    const bool is_id = contains(scheme.sign, "{id}") && equal_ignoring_case(scheme.id, source);
    return is_id || contains(scheme.sign, "{" + source + "}");
}

void lint_scheme(const ProviderFile& file, Findings& into) {
    if (file.config.scheme) lint_table(file, *file.config.scheme, into);
    if (const providers::ProviderTraits* sender = providers::traits_of(file.config.preset)) {
        lint_preset(file, *sender, into);
    }
    lint_confirmation(file, into);
}

}  // namespace pawl::app
