// Sends after commits were lost (access/recovery.hpp): the tables may lack a call that the gateway
// has executed, under the key of the next one or under a later number of its order. The gateway is
// asked for both before a send. Inside the caller's transaction.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "workflows/call/calls.hpp"
#include "workflows/engine/workflow.hpp"

namespace pawl::workflows {

struct Asking {
    bool is_on = true;  // false: the recovery has ended, and the order is older than its end
};
// nullopt if nothing was lost that the call could repeat, or the gateway was asked since.
std::optional<Asking> must_ask(db::Transaction& transaction, const std::string& key,
                               const std::string& order);
// From here on the call is sent like any other.
void mark_asked(db::Transaction& transaction, const std::string& key);

// The next step after the gateway has answered that it has no such call.
Next after_absence(db::Transaction& transaction, const PinnedCall& call,
                   const outbound::GatewayConfig& gateway, const std::optional<Asking>& asking,
                   const std::string& send_step);

// Applies `lost` to each listed object whose key begins with `prefix` and that may have moved money
// or may yet move it. Returns the first reason for an operator.
using LostObject = std::function<std::optional<std::string>(const outbound::FoundObject&)>;
std::optional<std::string> first_lost(const outbound::GatewayResult& answer,
                                      const std::string& prefix, const LostObject& lost);

}  // namespace pawl::workflows
