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
    lint_secrets(settings, findings);
    lint_modes(settings, findings);
    lint_surroundings(settings, findings);
    lint_unused(settings, findings);
    return findings;
}

bool moves_money(const providers::RuleConfig& rule) {
    using providers::Action;
    return rule.action == Action::credit || rule.action == Action::debit ||
           rule.action == Action::set_balance;
}

std::string path_of_rule(std::size_t index, std::string_view key) {
    return fmt::format("rule[{}]{}{}", index + 1, key.empty() ? "" : ".", key);
}

}  // namespace pawl::app
