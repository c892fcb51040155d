#include "payments/answers.hpp"

#include "payments/view.hpp"

namespace pawl::payments {
namespace {

StoredAnswer answer(int status, const std::string& location, std::string body) {
    return {status, "Content-Type: application/json\nLocation: " + location + "\n",
            std::move(body)};
}

}  // namespace

StoredAnswer answer_of(const Payment& payment) {
    return answer(is_settled(payment.state) ? 201 : 202, location_of(payment),
                  payment_json(payment));
}
StoredAnswer answer_of(const Refund& refund) {
    return answer(is_settled(refund.state) ? 201 : 202, location_of(refund), refund_json(refund));
}

StoredAnswer answer_of(const Capture& capture, const Payment& payment) {
    return answer(is_settled(capture.state) ? 201 : 202, location_of(payment),
                  capture_json(capture, payment));
}

std::string location_of(const Payment& payment) {
    return "/v1/payments/" + payment.id;
}
std::string location_of(const Refund& refund) {
    return "/v1/refunds/" + refund.id;
}

}  // namespace pawl::payments
