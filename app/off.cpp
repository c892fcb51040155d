#include "app/off.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/log.hpp"
#include "intents/queries/installation.hpp"

namespace pawl::app {
namespace {

// "set A (a) or B (b) in the environment", from what the files that are off are waiting for.
std::string how_to_turn_one_on(const Settings& settings) {
    std::string names;
    for (const ProviderFile& file : settings.providers) {
        if (file.missing_name.empty()) continue;
        names += fmt::format("{}{} ({})", names.empty() ? "" : " or ", file.missing_name,
                             file.config.name);
    }
    const std::string folder = (settings.folder / "providers").string();
    if (names.empty()) return fmt::format("add a file for one to {} and start again", folder);
    return fmt::format("set {} to its webhook secret and start again", names);
}

}  // namespace

void log_off(const Settings& settings) {
    for (const ProviderFile& file : settings.providers) {
        if (file.on) continue;
        log::info("provider switched off; deliveries to it are answered 503",
                  {{"provider", file.config.name}, {"reason", file.off_because}});
    }
    for (const GatewayFile& file : settings.gateways) {
        if (file.on) continue;
        log::info("gateway switched off; its payments are refused",
                  {{"gateway", file.name}, {"reason", file.off_because}});
    }
    const auto& files = settings.providers;
    if (std::any_of(files.begin(), files.end(), [](const auto& file) { return file.on; })) return;
    log::warn("no provider switched on; every webhook is refused",
              {{"remedy", how_to_turn_one_on(settings)}});
}

Result<void> check_secrets_of_stored(const Settings& settings, db::Session& session) {
    std::vector<std::string> names;
    for (const ProviderFile& file : settings.providers) {
        if (file.missing) names.push_back(file.config.name);
    }
    if (names.empty()) return {};
    const auto stored = intents::providers_with_events(session, names);
    for (const ProviderFile& file : settings.providers) {
        const auto& name = file.config.name;
        if (!file.missing || std::find(stored.begin(), stored.end(), name) == stored.end()) {
            continue;
        }
        const char* other = settings.embedded() ? "serve another data directory (PAWL_DATA_DIR)"
                                                : "name another database in PAWL_DATABASE_URL";
        return invalid(fmt::format(
            "{}: {} and verified events of provider \"{}\" are stored; {}, or {}",
            to_text(file.missing->place), file.missing->what, name, file.missing->remedy, other));
    }
    return {};
}

}  // namespace pawl::app
