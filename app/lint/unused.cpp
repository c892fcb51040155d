// Keys that are read and checked, and that nothing acts on yet. Whoever makes one work removes its
// line here.
#include <fmt/core.h>

#include <array>

#include "app/lint/lint.hpp"

namespace pawl::app {
namespace {

constexpr std::array<std::string_view, 2> unused{"retention.deliveries", "subscriber"};

void note(Findings& into, Place place, std::string what) {
    into.push_back({Severity::note, std::move(place), std::move(what),
                    "it is checked, and nothing acts on it yet", "nothing to do"});
}

// These are safe: what they match is kept and quarantined until somebody can act on it.
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
    for (const std::string_view key : unused) {
        const auto found = settings.places.find(std::string(key));
        if (found == settings.places.end()) continue;
        note(into, found->second, fmt::format("{} is not used by this version", key));
    }
    for (const ProviderFile& file : settings.providers) note_rules(into, file);
}

}  // namespace pawl::app
