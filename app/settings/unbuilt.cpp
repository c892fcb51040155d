// Rules that name a workflow which does not exist: their events could never be carried out, so the
// program does not start with one.
#include <array>

#include "app/settings/loading.hpp"
#include "workflows/charge_order.hpp"
#include "workflows/refund_payment.hpp"

namespace pawl::app {
namespace {

using namespace providers;

struct Unbuilt {
    const char* key;
    const char* what;
    bool (*asked)(const RuleConfig&);
};

constexpr std::array<Unbuilt, 2> unbuilt{{
    {"effect", "no event can start such a workflow; charge_order is the one there is",
     [](const RuleConfig& rule) {
         return rule.action == Action::start && rule.workflow != workflows::charge_order_name;
     }},
    {"effect", "there is no such workflow; charge_order and refund_payment can be told",
     [](const RuleConfig& rule) {
         return rule.action == Action::signal && rule.workflow != workflows::charge_order_name &&
                rule.workflow != workflows::refund_payment_name;
     }},
}};

}  // namespace

void refuse_unbuilt(const ProviderFile& file, Findings& into) {
    for (std::size_t i = 0; i < file.config.rules.size(); ++i) {
        for (const Unbuilt& one : unbuilt) {
            if (!one.asked(file.config.rules[i])) continue;
            const std::string path = "rule[" + std::to_string(i + 1) + "]." + one.key;
            into.push_back({Severity::error, file.place_of(path), one.what,
                            "its events could not be carried out", "correct the name"});
        }
    }
}

}  // namespace pawl::app
