// What a caller is answered about a payment or refund that it asked for, as it is stored under its
// idempotency key: the same bytes, whoever stores them. Pure.
#pragma once

#include "payments/idempotency.hpp"
#include "payments/payments.hpp"
#include "payments/refunds.hpp"

namespace pawl::payments {

// 201: it is settled, whatever the result.
StoredAnswer settled_answer(const Payment& payment);
StoredAnswer settled_answer(const Refund& refund);

// 202: it goes on; where it can be seen.
StoredAnswer accepted_answer(const Payment& payment);
StoredAnswer accepted_answer(const Refund& refund);

std::string location_of(const Payment& payment);  // /v1/payments/pay_...
std::string location_of(const Refund& refund);    // /v1/refunds/ref_...

// What a wait for a refund ends at: final, or a person is needed.
bool is_settled(RefundState state);

}  // namespace pawl::payments
