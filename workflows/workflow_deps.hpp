// Dependencies of the shipped workflows: gateways by name, a function that posts money, counters.
// Made by the wiring; outlives the engine. Safe from every thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/keys.hpp"
#include "base/metrics.hpp"
#include "db/session.hpp"
#include "ledger/decide.hpp"
#include "outbound/gateway.hpp"
#include "workflows/engine/workflow.hpp"

namespace pawl::workflows {

using Gateways = std::map<std::string, std::unique_ptr<outbound::Gateway>>;

// Posts money that a payment has moved, and releases the events that are parked on it. The one call
// upwards in the tree: `intents::post_money`, handed down by the wiring.
using PostMoney = std::function<ledger::Applied(db::Transaction&, const ledger::Entry&,
                                                const CorrelationId&, Time now)>;

// Returns the review of a movement that the books refused; nullopt if it is posted.
std::optional<Review> review_of(const ledger::Applied& posted, std::string_view movement);

struct WorkflowDeps {
    const Gateways& gateways;
    PostMoney post;
    Family<Counter>& calls;  // pawl_external_calls_total{gateway,outcome}
    Duration action_deadline = std::chrono::hours(24);

    const outbound::Gateway* gateway(const std::string& name) const;
    CaptureShape captures_of(const std::string& gateway) const;
    outbound::HttpResult send(const ForeignCall& call) const;
    void count(const std::string& gateway, const outbound::GatewayResult& answer) const;
};

}  // namespace pawl::workflows
