// Finds configuration under which the same money would be posted twice, under two effect keys: by
// two provider files of the same books, or by a gateway and the provider file of its books.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "settings/lint/lint.hpp"

namespace pawl::app {
namespace {

using namespace providers;

void check_capture_shapes(const ProviderFile& first, const ProviderFile& second, Findings& into) {
    const ProviderConfig &a = first.config, &b = second.config;
    if (a.books != b.books || a.captures == b.captures) return;
    into.push_back(
        {Severity::error, second.place_of("captures"),
         fmt::format("captures is \"{}\", and \"{}\" in {}", providers::to_text(b.captures),
                     providers::to_text(a.captures), first.file),
         fmt::format("both files post the payments of the books \"{}\"", a.books),
         "write the same value in both files"});
}

bool is_system_account(std::string_view account) {
    return account.starts_with("fees:") || account.starts_with("bank:");
}

// An effect key begins with the kind of its movement. A rule posts under the kinds that the
// workflows use, or about movements that no workflow posts, such as disputes and payouts.
bool has_allowed_kind(const RuleConfig& rule) {
    const std::string& kind = rule.effect_key.front().at;
    if (is_system_account(rule.account) || rule.action == Action::set_balance) return true;
    if (rule.action == Action::credit) return kind == "capture" || !rule.needs.empty();
    constexpr std::array allowed{"refund", "refund_total", "dispute", "return", "fee", "payout"};
    return std::find(allowed.begin(), allowed.end(), kind) != allowed.end();
}

void check_effect_keys(const ProviderFile& file, const GatewayFile& gateway, Findings& into) {
    const auto& rules = file.config.rules;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (!moves_money(rules[i])) continue;
        for (const RuleConfig& rule : movements_of(rules[i])) {
            if (rule.effect_key.empty() || has_allowed_kind(rule)) continue;
            const std::string_view kind = rule.action == Action::credit ? "capture" : "refund";
            into.push_back(
                {Severity::error, file.place_of(path_of_rule(i, "effect_key")),
                 fmt::format("the effect_key begins with \"{}\", and gateway \"{}\" posts \"{}\"",
                             rule.effect_key.front().at, gateway.name, kind),
                 "a payment that Pawl makes would be posted twice",
                 fmt::format("begin the effect_key with \"{}\"", kind)});
        }
    }
}

void check_capture_ids(const ProviderFile& file, const GatewayFile& gateway, Findings& into) {
    const bool reports_ids = gateway.kind != GatewayKind::stripe;
    if (file.config.captures != CaptureShape::ids || reports_ids) return;
    into.push_back(
        {Severity::error, file.place_of("captures"),
         fmt::format("captures is \"ids\", and gateway \"{}\" reports no id of a capture",
                     gateway.name),
         "the webhook of a capture that Pawl makes would be posted again",
         "write captures = \"total\""});
}

// A custom scheme may verify the webhooks of any gateway.
bool can_verify(const ProviderConfig& provider, GatewayKind kind) {
    return kind != GatewayKind::stripe || provider.preset == "stripe" ||
           provider.scheme.has_value();
}

void report_books(const GatewayFile& gateway, const std::string& contradiction, Findings& into) {
    into.push_back({Severity::error, nearest_place(gateway.places, "books", gateway.file),
                    fmt::format("gateway \"{}\" has the books \"{}\", and {}", gateway.name,
                                gateway.books, contradiction),
                    "its payments and their webhooks would be posted under different keys, twice",
                    "write the books of the provider file that receives its webhooks"});
}

// Reports a gateway whose books are not those of the provider file that receives its webhooks.
void check_books(const Settings& settings, const GatewayFile& gateway, Findings& into) {
    bool books_exist = false;
    bool webhooks_verified = false;
    const ProviderFile* namesake = nullptr;  // has the gateway's name, and other books
    for (const ProviderFile& file : settings.providers) {
        if (file.config.books == gateway.books) {
            books_exist = true;
            webhooks_verified = webhooks_verified || can_verify(file.config, gateway.kind);
        } else if (file.config.name == gateway.name) {
            namesake = &file;
        }
    }
    if (!books_exist) return report_books(gateway, "no provider file has them", into);
    if (namesake != nullptr) {
        const ProviderConfig& other = namesake->config;
        return report_books(
            gateway, fmt::format("provider \"{}\" the books \"{}\"", other.name, other.books),
            into);
    }
    if (webhooks_verified) return;
    report_books(gateway, "no provider file of these books receives its webhooks", into);
}

void check_gateway(const Settings& settings, const GatewayFile& gateway, Findings& into) {
    for (const ProviderFile& file : settings.providers) {
        if (file.config.books != gateway.books) continue;
        check_effect_keys(file, gateway, into);
        check_capture_ids(file, gateway, into);
    }
    check_books(settings, gateway, into);
}

}  // namespace

void lint_books(const Settings& settings, Findings& into) {
    const auto& files = settings.providers;
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t j = i + 1; j < files.size(); ++j) {
            check_capture_shapes(files[i], files[j], into);
        }
    }
    for (const GatewayFile& gateway : settings.gateways) {
        if (gateway.on) check_gateway(settings, gateway, into);
    }
}

}  // namespace pawl::app
