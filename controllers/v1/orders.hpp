// PUT and GET /v1/orders/{order}: what the merchant wants paid. Free of Drogon; called on a thread
// that may wait.
#pragma once

#include "controllers/v1/v1.hpp"

namespace pawl::http {

Reply unknown_order(const std::string& order_id);

ApiHandler put_order(const PaymentDeps& deps, const Clock& clock);
HandlerResult get_order(const Request& request, db::Session& session);

}  // namespace pawl::http
