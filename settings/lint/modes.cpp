// Finds API keys of gateways that belong to the other mode than the one that is served.
#include <fmt/core.h>

#include <array>

#include "settings/lint/lint.hpp"

namespace pawl::app {
namespace {

// The forms in which keys show their mode; any other key may be of either.
bool is_key_of(const std::string& key, Mode mode) {
    const std::array<std::string_view, 2> forms =
        mode == Mode::live ? std::array<std::string_view, 2>{"sk_live_", "rk_live_"}
                           : std::array<std::string_view, 2>{"sk_test_", "rk_test_"};
    return key.starts_with(forms[0]) || key.starts_with(forms[1]);
}

}  // namespace

void lint_modes(const Settings& settings, Findings& into) {
    const Mode served = settings.server.mode;
    const Mode other = served == Mode::live ? Mode::test : Mode::live;
    for (const GatewayFile& gateway : settings.gateways) {
        if (!gateway.on || !is_key_of(gateway.api_key, other)) continue;
        into.push_back({Severity::error, nearest_place(gateway.places, "api_key", gateway.file),
                        fmt::format("gateway \"{}\" has a key of {} mode, and {} mode is served",
                                    gateway.name, to_text(other), to_text(served)),
                        "what it moves would be posted as money of the wrong mode",
                        fmt::format("use its key of {} mode, or start with PAWL_MODE={}",
                                    to_text(served), to_text(other))});
    }
}

}  // namespace pawl::app
