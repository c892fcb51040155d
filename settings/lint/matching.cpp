// Finds rules of one provider that match the same events, or hide one another.
#include <fmt/core.h>

#include <algorithm>

#include "settings/lint/lint.hpp"

namespace pawl::app {
namespace {

using providers::RuleConfig;

// Whether nothing that `when` names ever gets past the rule.
bool catches(const RuleConfig& rule, std::string_view when) {
    if (!rule.where.empty()) return false;
    if (!rule.when.ends_with('*')) return rule.when == when;
    const std::string_view stem = std::string_view(rule.when).substr(0, rule.when.size() - 1);
    return when.starts_with(stem);
}

// Whether it has the events without a field by which an earlier rule for money decides: no rule
// between the two gets those.
bool has_the_absent(const std::vector<RuleConfig>& rules, std::size_t before, std::size_t at) {
    const auto demands = [](const RuleConfig& rule, const std::string& field) {
        return std::any_of(rule.where.begin(), rule.where.end(), [&](const auto& one) {
            return one.first == field && !one.second.empty();
        });
    };
    return std::any_of(rules[at].where.begin(), rules[at].where.end(), [&](const auto& own) {
        return own.second.empty() &&
               std::any_of(rules.begin(), rules.begin() + static_cast<std::ptrdiff_t>(before),
                           [&](const RuleConfig& rule) {
                               return moves_money(rule) && demands(rule, own.first);
                           });
    });
}

void lint_reach(const ProviderFile& file, std::size_t at, Findings& into) {
    const auto& rules = file.config.rules;
    for (std::size_t before = 0; before < at; ++before) {
        if (!catches(rules[before], rules[at].when)) continue;
        if (has_the_absent(rules, before, at)) return;
        into.push_back(
            {moves_money(rules[at]) ? Severity::error : Severity::warning,
             file.place_of(path_of_rule(at, "when")),
             fmt::format("rule {} (\"{}\") is never reached", at + 1, rules[at].when),
             fmt::format("rule {} (\"{}\") matches first", before + 1, rules[before].when),
             "move it up: the first rule that matches decides"});
        return;
    }
}

bool same_key(const RuleConfig& a, const RuleConfig& b) {
    if (a.effect_key.empty() || a.effect_key.size() != b.effect_key.size()) return false;
    for (std::size_t i = 0; i < a.effect_key.size(); ++i) {
        if (a.effect_key[i].at != b.effect_key[i].at) return false;
    }
    return true;
}

// A refund keyed like its capture would be taken for the capture seen twice.
void lint_shared_key(const ProviderFile& file, std::size_t at, Findings& into) {
    const auto& rules = file.config.rules;
    for (std::size_t before = 0; before < at; ++before) {
        const bool both = moves_money(rules[at]) && moves_money(rules[before]);
        const bool differ = rules[at].action != rules[before].action;
        if (!both || !differ || !same_key(rules[at], rules[before])) continue;
        into.push_back({Severity::error, file.place_of(path_of_rule(at, "effect_key")),
                        fmt::format("a {} and a {} have one effect_key",
                                    to_text(rules[before].action), to_text(rules[at].action)),
                        "whichever comes second would not be posted",
                        "begin it with another word, like [\"refund\", ...]"});
        return;
    }
}

}  // namespace

void lint_matching(const ProviderFile& file, Findings& into) {
    const auto& rules = file.config.rules;
    bool caught = false;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        lint_reach(file, i, into);
        lint_shared_key(file, i, into);
        caught = caught || (rules[i].when == "*" && rules[i].where.empty());
        if (rules[i].when != "*" || !moves_money(rules[i])) continue;
        into.push_back({Severity::warning, file.place_of(path_of_rule(i, "effect")),
                        fmt::format("a rule for every event is a {}", to_text(rules[i].action)),
                        "event types that do not exist yet would move money",
                        "name the types that do"});
    }
    if (caught || rules.empty()) return;
    into.push_back({Severity::note, file.place_of("rule"),
                    fmt::format("provider \"{}\" has no rule for \"*\"", file.config.name),
                    "events that no rule matches are quarantined no_rule and wait for an operator",
                    "add one with effect = \"ignore\" if that is not meant"});
}

}  // namespace pawl::app
