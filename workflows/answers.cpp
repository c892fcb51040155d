#include "workflows/answers.hpp"

#include "payments/view.hpp"

namespace pawl::workflows {
namespace {

constexpr int created = 201;

std::string headers_of(const std::string& location) {
    return "Content-Type: application/json\nLocation: " + location + "\n";
}

}  // namespace

payments::StoredAnswer settled_answer(const payments::Payment& payment) {
    return {created, headers_of("/v1/payments/" + payment.id), payments::payment_json(payment)};
}

payments::StoredAnswer settled_answer(const payments::Refund& refund) {
    return {created, headers_of("/v1/payments/" + refund.payment_id),
            payments::refund_json(refund)};
}

}  // namespace pawl::workflows
