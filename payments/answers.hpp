// What a caller is answered about a payment, capture or refund that it asked for, as it is stored
// under its idempotency key: the same bytes, whoever stores them. Pure.
#pragma once

#include "payments/captures.hpp"
#include "payments/idempotency.hpp"
#include "payments/payments.hpp"
#include "payments/refunds.hpp"

namespace pawl::payments {

// 201 for a result, whatever it is; 202 with where it can be seen for anything else.
StoredAnswer answer_of(const Payment& payment);
StoredAnswer answer_of(const Refund& refund);
// Where it can be seen: in its payment.
StoredAnswer answer_of(const Capture& capture, const Payment& payment);

std::string location_of(const Payment& payment);  // /v1/payments/pay_...
std::string location_of(const Refund& refund);    // /v1/refunds/ref_...

}  // namespace pawl::payments
