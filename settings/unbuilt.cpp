// Refuses settings that this version reads and does not implement, so that the program does not
// start with a file that needs them: a workflow that does not exist, an object to be fetched, a
// gateway of another kind.
#include <fmt/core.h>

#include <algorithm>

#include "settings/loading.hpp"
#include "workflows/registry.hpp"

namespace pawl::app {
namespace {

using providers::Action;
using providers::RuleConfig;

bool fits(const workflows::Registered& one, const RuleConfig& rule) {
    return one.name == rule.workflow && (rule.action == Action::signal || one.started_by_events);
}

std::string choices(Action action) {
    std::string words;
    for (const workflows::Registered& one : workflows::registry) {
        if (action == Action::start && !one.started_by_events) continue;
        words += (words.empty() ? "" : ", ") + std::string(one.name);
    }
    return words;
}

void refuse_key(const ProviderFile& file, const char* key, bool there, Findings& into) {
    if (!there) return;
    into.push_back({Severity::error, file.place_of(key),
                    fmt::format("\"{}\" is not in this version", key), "nothing would act on it",
                    "remove it"});
}

}  // namespace

void refuse_unbuilt(const GatewayFile& file, Findings& into) {
    const auto place = file.places.find("kind");
    if (file.kind == GatewayKind::stripe || place == file.places.end()) return;
    into.push_back({Severity::error, place->second, "this kind of gateway is not in this version",
                    "it could not be called", "write kind = \"stripe\", or remove the file"});
}

void refuse_unbuilt(const ProviderFile& file, Findings& into) {
    refuse_key(file, "fetch", file.config.fetch.has_value(), into);
    refuse_key(file, "roots", !file.config.roots.empty(), into);
    refuse_key(file, "public_key", !file.config.public_key.empty(), into);
    for (std::size_t i = 0; i < file.config.rules.size(); ++i) {
        const RuleConfig& rule = file.config.rules[i];
        if (rule.action != Action::start && rule.action != Action::signal) continue;
        const bool known = std::any_of(workflows::registry.begin(), workflows::registry.end(),
                                       [&](const auto& one) { return fits(one, rule); });
        if (known) continue;
        const char* verb = rule.action == Action::start ? "started" : "told";
        into.push_back(
            {Severity::error, file.place_of("rule[" + std::to_string(i + 1) + "].effect"),
             fmt::format("no workflow \"{}\" can be {} by an event", rule.workflow, verb),
             "its events could not be executed",
             fmt::format("write one of {}", choices(rule.action))});
    }
}

}  // namespace pawl::app
