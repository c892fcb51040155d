// Notification jobs for the outcome of an event or of an entry, staged with it.
// docs/notifications.md documents their content. Pure.
#pragma once

#include <span>
#include <vector>

#include "intents/accept/batch_context.hpp"
#include "ledger/decide.hpp"

namespace pawl::intents {

using Posted = std::span<ledger::Transfer const* const>;

// The outcome of an event, and the transfers that it caused.
struct Settled {
    const Origin& origin;
    const providers::Event& event;
    const ledger::Applied& applied;
    Posted posted;
};
void stage_notices(const Settled& settled, ledger::Outcome before,
                   std::vector<jobs::StagedJob>& jobs);
void stage_notices(Posted posted, const ledger::Applied& applied,
                   const CorrelationId& correlation_id, std::vector<jobs::StagedJob>& jobs);

void stage_dispute(const DisputeMark& mark, std::vector<jobs::StagedJob>& jobs);

}  // namespace pawl::intents
