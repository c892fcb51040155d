// The refund workflow: pin key and bytes, call, record, debit, announce, finish. The refundable
// amount was decided when the refund was allocated, under the order's lock.
#pragma once

#include <string_view>

#include "payments/refunds.hpp"
#include "workflows/engine/workflow.hpp"
#include "workflows/workflow_deps.hpp"

namespace pawl::workflows {

inline constexpr std::string_view refund_payment_name = "refund_payment";

Workflow refund_payment(const WorkflowDeps& parts);

// For a refund that was allocated in this transaction.
void start_refund(db::Transaction& transaction, const payments::Refund& refund,
                  const payments::Payment& payment, Time now);

}  // namespace pawl::workflows
