// The jobs that the outcome of an event or of an entry asks for, staged with it.
// docs/notifications.md promises what is in them. Pure.
#pragma once

#include <vector>

#include "intents/accept/batch_context.hpp"
#include "ledger/decide.hpp"

namespace pawl::intents {

void stage_notices(const Origin& origin, const providers::Event& event, ledger::Outcome before,
                   const ledger::Applied& applied, std::vector<jobs::StagedJob>& jobs);
void stage_notices(const ledger::Entry& entry, const CorrelationId& correlation_id,
                   const ledger::Applied& applied, std::vector<jobs::StagedJob>& jobs);

}  // namespace pawl::intents
