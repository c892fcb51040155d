// Would the files of one account at a provider, and the gateway that charges it, post the same
// money under different keys?
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "settings/lint/lint.hpp"

namespace pawl::app {
namespace {

using namespace providers;

void compare(const ProviderFile& file, const ProviderFile& other, Findings& into) {
    const ProviderConfig &a = file.config, &b = other.config;
    if (a.books == b.books && a.captures != b.captures) {
        into.push_back(
            {Severity::error, other.place_of("captures"),
             fmt::format("captures is \"{}\", and \"{}\" in {}", providers::to_text(b.captures),
                         providers::to_text(a.captures), file.file),
             fmt::format("both post the payments of the books \"{}\"", a.books),
             "write the same in both"});
    }
}

// The kinds of key that the engine uses, and those of what it does not do itself.
bool may_be_posted(const RuleConfig& rule) {
    const std::string& kind = rule.effect_key.front().at;
    const bool system = rule.account.starts_with("fees:") || rule.account.starts_with("bank:");
    if (system || rule.action == Action::set_balance) return true;
    if (rule.action == Action::credit) return kind == "capture" || !rule.needs.empty();
    constexpr std::array kinds{"refund", "refund_total", "dispute", "return", "fee", "payout"};
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool speaks_of(GatewayKind kind, const ProviderConfig& config) {
    return kind != GatewayKind::stripe || config.preset == "stripe" || config.scheme.has_value();
}

void check_keys(const ProviderFile& file, const GatewayFile& gateway, Findings& into) {
    const auto& rules = file.config.rules;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (!moves_money(rules[i])) continue;
        for (const RuleConfig& rule : movements_of(rules[i])) {
            if (rule.effect_key.empty() || may_be_posted(rule)) continue;
            const bool credit = rule.action == Action::credit;
            into.push_back(
                {Severity::error, file.place_of(path_of_rule(i, "effect_key")),
                 fmt::format("the effect_key begins with \"{}\", and gateway \"{}\" posts \"{}\"",
                             rule.effect_key.front().at, gateway.name,
                             credit ? "capture" : "refund"),
                 "what Pawl itself asks for would be posted twice",
                 fmt::format("begin it with \"{}\"", credit ? "capture" : "refund")});
        }
    }
}

// Its webhooks come in another file than the one whose books it has.
void check_pairing(const Settings& settings, const GatewayFile& gateway, Findings& into) {
    const ProviderFile* named_alike = nullptr;
    bool may_report = false;  // some file of its books verifies what this kind of gateway sends
    for (const ProviderFile& file : settings.providers) {
        const bool same_books = file.config.books == gateway.books;
        if (file.config.name == gateway.name && !same_books) named_alike = &file;
        if (same_books && speaks_of(gateway.kind, file.config)) may_report = true;
    }
    if (named_alike == nullptr && may_report) return;
    const std::string other =
        named_alike == nullptr ? "no provider file of these books receives its webhooks"
                               : fmt::format("provider \"{}\" the books \"{}\"",
                                             named_alike->config.name, named_alike->config.books);
    into.push_back({Severity::error, nearest_place(gateway.places, "books", gateway.file),
                    fmt::format("gateway \"{}\" has the books \"{}\", and {}", gateway.name,
                                gateway.books, other),
                    "its payments and their webhooks would be posted under different keys, twice",
                    "write the books of the provider file that receives its webhooks"});
}

void check_gateway(const Settings& settings, const GatewayFile& gateway, Findings& into) {
    bool any = false;
    for (const ProviderFile& file : settings.providers) {
        if (file.config.books != gateway.books) continue;
        any = true;
        check_keys(file, gateway, into);
        if (file.config.captures != CaptureShape::ids || gateway.kind != GatewayKind::stripe) {
            continue;
        }
        into.push_back({Severity::error, file.place_of("captures"),
                        fmt::format("captures is \"ids\", and gateway \"{}\" reports no id of a "
                                    "capture",
                                    gateway.name),
                        "a webhook about its capture would be posted again",
                        "write captures = \"total\""});
    }
    if (any) return check_pairing(settings, gateway, into);
    into.push_back(
        {Severity::error, nearest_place(gateway.places, "books", gateway.file),
         fmt::format("gateway \"{}\" has the books \"{}\", and no provider file has them",
                     gateway.name, gateway.books),
         "its payments and their webhooks would be posted under different keys, twice",
         "write the books of the provider file that receives its webhooks"});
}

}  // namespace

void lint_books(const Settings& settings, Findings& into) {
    const auto& files = settings.providers;
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t j = i + 1; j < files.size(); ++j) compare(files[i], files[j], into);
    }
    for (const GatewayFile& gateway : settings.gateways) {
        if (gateway.on) check_gateway(settings, gateway, into);
    }
}

}  // namespace pawl::app
