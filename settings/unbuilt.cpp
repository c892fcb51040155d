// Rules that name a workflow which does not exist: their events could never be carried out, so the
// program does not start with one.
#include <fmt/core.h>

#include <algorithm>

#include "settings/loading.hpp"
#include "workflows/engine/registry.hpp"

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

}  // namespace

void refuse_unbuilt(const ProviderFile& file, Findings& into) {
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
             "its events could not be carried out",
             fmt::format("write one of {}", choices(rule.action))});
    }
}

}  // namespace pawl::app
