// Settings that are read and checked, and that no code acts on yet. A change that implements one
// removes its line here.
#include "settings/lint/lint.hpp"

namespace pawl::app {
namespace {

// These are safe: events that match them are kept and quarantined.
void note_rules(Findings& into, const ProviderFile& file) {
    for (std::size_t i = 0; i < file.config.rules.size(); ++i) {
        const auto& rule = file.config.rules[i];
        if (!rule.confirm_by_fetch) continue;
        into.push_back({Severity::warning, file.place_of(path_of_rule(i, "confirm")),
                        "nothing is fetched by this version",
                        "what the rule matches is quarantined, and kept", "nothing to do"});
    }
}

}  // namespace

void lint_unused(const Settings& settings, Findings& into) {
    for (const ProviderFile& file : settings.providers) note_rules(into, file);
}

}  // namespace pawl::app
