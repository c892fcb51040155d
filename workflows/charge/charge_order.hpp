// The workflow that has an order paid: allocate the attempt, pin key and bytes, call, record,
// credit, stage the receipt, finish. Webhooks signal it; one that comes before the API's answer, or
// instead of it, leads to the same end.
#pragma once

#include <string>

#include "payments/payments.hpp"
#include "workflows/engine/workflow.hpp"
#include "workflows/workflow_deps.hpp"

namespace pawl::workflows {

inline constexpr std::string_view charge_order_name = "charge_order";

Workflow charge_order(const WorkflowDeps& parts);

// For a payment whose attempt was allocated in this transaction.
void start_charge(db::Transaction& transaction, const payments::Payment& payment, Time now);
// An attempt that is not closed is given up, at the gateway first. Returns false if a capture of it
// is under way: then nothing has changed.
bool request_cancel(db::Transaction& transaction, const payments::Payment& payment, Time now);

}  // namespace pawl::workflows
