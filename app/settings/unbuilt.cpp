// Rules that this version does not carry out yet: their events would only be quarantined, so the
// program does not start with one. Whoever builds one removes its line here.
#include <array>

#include "app/settings/loading.hpp"

namespace pawl::app {
namespace {

using namespace providers;

struct Unbuilt {
    const char* key;
    const char* what;
    bool (*asked)(const RuleConfig&);
};

constexpr std::array<Unbuilt, 2> unbuilt{{
    {"effect", "start: is not carried out by this version",
     [](const RuleConfig& rule) { return rule.action == Action::start; }},
    {"effect", "signal: is not carried out by this version",
     [](const RuleConfig& rule) { return rule.action == Action::signal; }},
}};

}  // namespace

void refuse_unbuilt(const ProviderFile& file, Findings& into) {
    for (std::size_t i = 0; i < file.config.rules.size(); ++i) {
        for (const Unbuilt& one : unbuilt) {
            if (!one.asked(file.config.rules[i])) continue;
            const std::string path = "rule[" + std::to_string(i + 1) + "]." + one.key;
            into.push_back({Severity::error, file.place_of(path), one.what,
                            "its events would be quarantined",
                            "use credit, debit, set_balance or ignore until it is"});
        }
    }
}

}  // namespace pawl::app
