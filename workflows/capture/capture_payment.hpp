// The workflow that captures an authorized payment: pin key and bytes, call, record, credit,
// finish. Whether it may capture was decided when the capture was allocated, under the order's
// lock. The payment's own run (charge_order) is signaled by its end, and learns there what is left.
#pragma once

#include <string_view>

#include "payments/captures.hpp"
#include "workflows/engine/workflow.hpp"
#include "workflows/workflow_deps.hpp"

namespace pawl::workflows {

inline constexpr std::string_view capture_payment_name = "capture_payment";

Workflow capture_payment(const WorkflowDeps& parts);

// For a capture that was allocated in this transaction.
void start_capture(db::Transaction& transaction, const payments::Capture& capture,
                   const payments::Payment& payment, Time now);

}  // namespace pawl::workflows
