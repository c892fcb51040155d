#include "workflows/workflow_deps.hpp"

#include <fmt/core.h>

#include "workflows/call/calls.hpp"

namespace pawl::workflows {

const outbound::Gateway* WorkflowDeps::gateway(const std::string& name) const {
    const auto found = gateways.find(name);
    return found == gateways.end() ? nullptr : found->second.get();
}

CaptureShape WorkflowDeps::captures_of(const std::string& name) const {
    const outbound::Gateway* known = gateway(name);
    return known == nullptr ? CaptureShape::one : known->config().captures;
}

outbound::HttpResult WorkflowDeps::send(const ForeignCall& call) const {
    const outbound::Gateway* to = gateway(call.gateway);
    if (to == nullptr) {
        return outbound::HttpFailure{"no gateway " + call.gateway + " is configured", true, false};
    }
    return to->send(call.call, call.key_sent, call.correlation_id, call.unwanted);
}

void WorkflowDeps::count(const std::string& gateway, const outbound::GatewayResult& answer) const {
    calls.with({gateway, std::string(to_text(answer.ending))}).add();
}

// Posted now, or before: by a webhook that was faster, or by this very step.
std::optional<Review> review_of(const ledger::Applied& posted, std::string_view movement) {
    if (ledger::is_done(posted.outcome)) return std::nullopt;
    if (posted.note == "effect_conflict") {
        return Review{"its effect is in the books already, with other content"};
    }
    return Review{fmt::format("the account cannot take the {}: {}", movement, posted.note)};
}

}  // namespace pawl::workflows
