// POST /v1/payments/{payment}/cancel: gives up an attempt that is not closed, at the gateway first;
// of one that was captured in part, the rest. It needs no key: asking twice asks for the same. Free
// of Drogon; called on a thread that may wait.
#pragma once

#include "controllers/v1/v1.hpp"

namespace pawl::http {

ApiHandler cancel_payment(const PaymentDeps& deps, const Clock& clock);

// 200: it is canceled. 409: it came to another end. 202: the gateway has been, or will be, asked.
Reply cancel_reply(const payments::Payment& payment);

}  // namespace pawl::http
