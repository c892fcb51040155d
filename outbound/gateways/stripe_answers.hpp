// Interpretation of Stripe's responses. Pure functions of a response, tested by a table.
#pragma once

#include <string>

#include "outbound/gateway.hpp"

namespace pawl::outbound::stripe {

// Interprets POST /v1/payment_intents and POST /v1/refunds. `key`: expected in the object's
// metadata. `in_doubt`: an earlier send may have been executed.
GatewayResult read_charge(const HttpResult& outcome, const std::string& key, bool in_doubt);
GatewayResult read_refund(const HttpResult& outcome, const std::string& key, bool in_doubt);
GatewayResult read_cancel(const HttpResult& outcome, const std::string& key);
GatewayResult read_capture(const HttpResult& outcome, const CaptureKeys& keys, bool in_doubt);

// Interprets a GET: one object, or a list, of which the objects with our key count.
GatewayResult read_found_charge(const HttpResult& outcome, const std::string& key);
GatewayResult read_found_refund(const HttpResult& outcome, const std::string& key);
GatewayResult read_found_capture(const HttpResult& outcome, const CaptureKeys& keys);

}  // namespace pawl::outbound::stripe
