#include "payments/answers.hpp"

#include "payments/view.hpp"

namespace pawl::payments {
namespace {

StoredAnswer answer(int status, const std::string& location, std::string body) {
    return {status, "Content-Type: application/json\nLocation: " + location + "\n",
            std::move(body)};
}

}  // namespace

StoredAnswer settled_answer(const Payment& payment) {
    return answer(201, location_of(payment), payment_json(payment));
}
StoredAnswer settled_answer(const Refund& refund) {
    return answer(201, location_of(refund), refund_json(refund));
}

StoredAnswer accepted_answer(const Payment& payment) {
    return answer(202, location_of(payment), payment_json(payment));
}
StoredAnswer accepted_answer(const Refund& refund) {
    return answer(202, location_of(refund), refund_json(refund));
}

std::string location_of(const Payment& payment) {
    return "/v1/payments/" + payment.id;
}
std::string location_of(const Refund& refund) {
    return "/v1/refunds/" + refund.id;
}

bool is_settled(RefundState state) {
    return is_final(state) || state == RefundState::needs_review;
}

}  // namespace pawl::payments
