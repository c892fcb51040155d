#include "settings/lint/lint.hpp"

#include <fmt/core.h>

namespace pawl::app {

Findings lint(const Settings& settings) {
    Findings findings;
    for (const ProviderFile& file : settings.providers) {
        if (!file.on) {
            findings.push_back({Severity::note, file.place_of("enabled"),
                                fmt::format("provider \"{}\" is off", file.config.name),
                                file.off_because,
                                "its deliveries are answered 503 until it is on"});
        }
        lint_retention(file, findings);
        lint_scheme(file, findings);
        lint_rules(file, findings);
        lint_matching(file, findings);
        lint_build(file, findings);
    }
    lint_books(settings, findings);
    lint_needs(settings, findings);
    lint_secrets(settings, findings);
    lint_modes(settings, findings);
    lint_surroundings(settings, findings);
    lint_unused(settings, findings);
    return findings;
}

bool moves_money(const providers::RuleConfig& rule) {
    using providers::Action;
    return !rule.moves.empty() || rule.action == Action::credit || rule.action == Action::debit ||
           rule.action == Action::set_balance;
}

std::vector<providers::RuleConfig> movements_of(const providers::RuleConfig& rule) {
    if (rule.moves.empty()) return {rule};
    std::vector<providers::RuleConfig> all;
    for (const providers::MoveConfig& move : rule.moves) {
        providers::RuleConfig& one = all.emplace_back(rule);
        one.moves.clear();
        one.action = move.action;
        if (!move.account.empty()) one.account = move.account;
        if (!move.amount.empty()) one.amount = move.amount;
        if (!move.currency.empty()) one.currency = move.currency;
        if (!move.effect_key.empty()) one.effect_key = move.effect_key;
        one.amount_is = move.amount_is.value_or(rule.amount_is);
        one.unit = move.unit.value_or(rule.unit);
    }
    return all;
}

std::string path_of_rule(std::size_t index, std::string_view key) {
    return fmt::format("rule[{}]{}{}", index + 1, key.empty() ? "" : ".", key);
}

}  // namespace pawl::app
