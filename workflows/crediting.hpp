// The credit of what a gateway reports as captured: once, whether its answer or a webhook is first,
// because both post under the payment's root, in the shape that its books declare. Inside the
// caller's transaction, under the locks of order and payment.
#pragma once

#include <optional>

#include "payments/payments.hpp"
#include "workflows/engine/workflow.hpp"
#include "workflows/workflow_deps.hpp"

namespace pawl::workflows {

// Credits `moved`, all that was captured of the payment so far. Returns the review if the books
// refuse it; nullopt if it is posted.
std::optional<Review> credit(db::Transaction& transaction, const payments::Payment& payment,
                             const Money& moved, const WorkflowDeps& parts, Time now);

// Takes over what is left to capture as of the answer that reported `moved`, unless more has been
// captured since.
void take_capturable(payments::Payment& payment, const Money& moved,
                     const std::optional<std::int64_t>& capturable);

// The gateway or its webhook has reported the payment's total: captures that an operator resolved
// by force are confirmed.
void confirm_captures(db::Transaction& transaction, const payments::Payment& payment);

}  // namespace pawl::workflows
