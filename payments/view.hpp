// Orders, payments, captures and refunds as the JSON that /v1 answers; also what an idempotent
// answer is made of, wherever it is stored. Pure.
#pragma once

#include <string>
#include <vector>

#include "payments/captures.hpp"
#include "payments/orders.hpp"
#include "payments/payments.hpp"
#include "payments/refunds.hpp"

namespace pawl::payments {

std::string order_json(const Order& order, const std::vector<Payment>& payments);
std::string payment_json(const Payment& payment);
std::string payment_json(const Payment& payment, const std::vector<Capture>& captures);
std::string capture_json(const Capture& capture, const Payment& payment);
std::string refund_json(const Refund& refund);

}  // namespace pawl::payments
