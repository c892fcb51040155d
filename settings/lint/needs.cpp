// Finds needs of rules that no movement of their books can meet.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "settings/lint/lint.hpp"
#include "settings/suggest.hpp"

namespace pawl::app {
namespace {

bool is_literal(const std::string& at) {
    return at.find('/') == at.npos && at.find(':') == at.npos;
}

// The kinds of key that files and gateways post under these books.
std::set<std::string> kinds_of(const Settings& settings, const std::string& books) {
    std::set<std::string> kinds;
    for (const ProviderFile& file : settings.providers) {
        if (file.config.books != books) continue;
        for (const providers::RuleConfig& whole : file.config.rules) {
            if (!moves_money(whole)) continue;
            for (const providers::RuleConfig& rule : movements_of(whole)) {
                if (!rule.effect_key.empty()) kinds.insert(rule.effect_key.front().at);
            }
        }
    }
    const bool charged =
        std::any_of(settings.gateways.begin(), settings.gateways.end(),
                    [&](const GatewayFile& gateway) { return gateway.books == books; });
    if (charged) kinds.insert({"capture", "refund"});
    return kinds;
}

void check(const ProviderFile& file, const std::set<std::string>& kinds, Findings& into) {
    const auto& rules = file.config.rules;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        for (const providers::ReadParts& need : rules[i].needs) {
            if (need.empty() || !is_literal(need.front().at)) continue;
            const std::string& kind = need.front().at;
            if (kinds.contains(kind)) continue;
            const std::string near = nearest(kind, {kinds.begin(), kinds.end()});
            into.push_back({Severity::warning, file.place_of(path_of_rule(i, "needs")),
                            fmt::format("needs \"{}\", and no rule of the books \"{}\" posts that",
                                        kind, file.config.books),
                            "its events would be parked until the deadline, and then quarantined",
                            near.empty()
                                ? "begin it like the effect_key of the movement that is needed"
                                : fmt::format("did you mean \"{}\"?", near)});
        }
    }
}

}  // namespace

void lint_needs(const Settings& settings, Findings& into) {
    for (const ProviderFile& file : settings.providers) {
        check(file, kinds_of(settings, file.config.books), into);
    }
}

}  // namespace pawl::app
