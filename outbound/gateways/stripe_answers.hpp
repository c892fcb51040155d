// What Stripe's answers mean. Pure functions of what came back, so that their test is a table.
#pragma once

#include <string>

#include "outbound/gateway.hpp"

namespace pawl::outbound::stripe {

// Of POST /v1/payment_intents and POST /v1/refunds. `key`: in the metadata of what was made.
// `in_doubt`: an earlier send may have been executed.
Answer read_charge(const HttpOutcome& outcome, const std::string& key, bool in_doubt);
Answer read_refund(const HttpOutcome& outcome, const std::string& key, bool in_doubt);
Answer read_cancel(const HttpOutcome& outcome, const std::string& key);

// Of a GET: one object, or a list in which those with our key are ours.
Answer read_found_charge(const HttpOutcome& outcome, const std::string& key);
Answer read_found_refund(const HttpOutcome& outcome, const std::string& key);

}  // namespace pawl::outbound::stripe
