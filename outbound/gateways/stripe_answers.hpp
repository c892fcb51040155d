// What Stripe's answers mean. Pure functions of what came back, so that their test is a table.
#pragma once

#include <string>

#include "outbound/gateway.hpp"

namespace pawl::outbound::stripe {

// Of POST /v1/payment_intents and POST /v1/refunds. `key`: in the metadata of what was made.
// `in_doubt`: an earlier send may have been executed.
GatewayResult read_charge(const HttpResult& outcome, const std::string& key, bool in_doubt);
GatewayResult read_refund(const HttpResult& outcome, const std::string& key, bool in_doubt);
GatewayResult read_cancel(const HttpResult& outcome, const std::string& key);
GatewayResult read_capture(const HttpResult& outcome, const CaptureKeys& keys, bool in_doubt);

// Of a GET: one object, or a list in which those with our key are ours.
GatewayResult read_found_charge(const HttpResult& outcome, const std::string& key);
GatewayResult read_found_refund(const HttpResult& outcome, const std::string& key);
GatewayResult read_found_capture(const HttpResult& outcome, const CaptureKeys& keys);

}  // namespace pawl::outbound::stripe
