// The workflow that captures an authorized payment: pin key and bytes, call, record, credit,
// finish. Whether it may capture is checked at allocation, under the order's lock. At its end it
// signals the payment's own run (charge_order), which asks the gateway what is left to capture.
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
