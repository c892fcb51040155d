// Keys that are read and checked, and that nothing acts on yet. Whoever makes one work removes its
// line here.
#include <fmt/core.h>

#include <array>

#include "app/lint/lint.hpp"

namespace pawl::app {
namespace {

constexpr std::array<std::string_view, 3> unused{"retention", "idempotency", "subscriber"};

void note(Findings& into, Place place, std::string what) {
    into.push_back({Severity::note, std::move(place), std::move(what),
                    "it is checked, and nothing acts on it yet", "nothing to do"});
}

}  // namespace

void lint_unused(const Settings& settings, Findings& into) {
    for (const std::string_view key : unused) {
        const auto found = settings.places.find(std::string(key));
        if (found == settings.places.end()) continue;
        note(into, found->second, fmt::format("[{}] is not used by this version", key));
    }
    for (const GatewayFile& gateway : settings.gateways) {
        note(into, {gateway.file, 0, 0},
             fmt::format("gateway \"{}\" is not used by this version", gateway.name));
    }
}

}  // namespace pawl::app
