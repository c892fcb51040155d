#include "controllers/v1/table.hpp"

#include "controllers/v1/accounts.hpp"
#include "controllers/v1/cancel_payment.hpp"
#include "controllers/v1/orders.hpp"
#include "controllers/v1/payments.hpp"
#include "controllers/v1/policy.hpp"
#include "controllers/v1/start_capture.hpp"
#include "controllers/v1/start_payment.hpp"
#include "controllers/v1/start_refund.hpp"

namespace pawl::http {

void add_v1(Routes& routes, const V1Deps& deps, const PaymentDeps& payments,
            const KeyPolicy& policy, const Clock& clock) {
    const auto add = [&](const char* method, const char* pattern, ApiHandler handler) {
        const Operation& operation = shipped_operation(method, pattern);
        routes.add({method, pattern, ServedOn::open, for_api(deps, operation, std::move(handler))});
    };
    add("PUT", "/v1/orders/{order}", put_order(payments, clock));
    add("GET", "/v1/orders/{order}", get_order);
    add("POST", "/v1/orders/{order}/payments", start_payment(payments, policy, clock));
    add("GET", "/v1/payments/{payment}", get_payment);
    add("POST", "/v1/payments/{payment}/cancel", cancel_payment(payments, clock));
    add("POST", "/v1/payments/{payment}/capture", start_capture(payments, policy, clock));
    add("POST", "/v1/payments/{payment}/refunds", start_refund(payments, policy, clock));
    add("GET", "/v1/refunds/{refund}", get_refund);
    add("GET", "/v1/accounts/{account}", get_balances);
    add("GET", "/v1/accounts/{account}/transfers", get_transfers);
    add("GET", "/v1/idempotency", get_policy(policy));
}

}  // namespace pawl::http
