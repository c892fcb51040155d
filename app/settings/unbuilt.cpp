// Rules that the ledger does not carry out yet. It would take each of them for a plain credit or
// debit, so the program does not start with one. Whoever builds one removes its line here.
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

constexpr std::array<Unbuilt, 4> unbuilt{{
    {"effect", "set_balance is not carried out by this version",
     [](const RuleConfig& rule) { return rule.action == Action::set_balance; }},
    {"amount_is", "amount_is = \"total\" is not carried out by this version",
     [](const RuleConfig& rule) { return rule.amount_is == AmountIs::total; }},
    {"order", "order = \"hold\" is not carried out by this version",
     [](const RuleConfig& rule) { return rule.order == Order::hold; }},
    {"order", "order = \"strict\" is not carried out by this version",
     [](const RuleConfig& rule) { return rule.order == Order::strict; }},
}};

}  // namespace

void refuse_unbuilt(const ProviderFile& file, Findings& into) {
    for (std::size_t i = 0; i < file.config.rules.size(); ++i) {
        for (const Unbuilt& one : unbuilt) {
            if (!one.asked(file.config.rules[i])) continue;
            const std::string path = "rule[" + std::to_string(i + 1) + "]." + one.key;
            into.push_back({Severity::error, file.place_of(path), one.what,
                            "its events would be posted as something else",
                            "use credit or debit with order = \"late_ok\" until it is"});
        }
    }
}

}  // namespace pawl::app
