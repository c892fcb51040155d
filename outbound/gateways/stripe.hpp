// Client of Stripe's API, version 1: PaymentIntents and refunds. `pawl sandbox` implements it, too.
#pragma once

#include <memory>

#include "outbound/gateway.hpp"

namespace pawl::outbound {

std::unique_ptr<Gateway> make_stripe(GatewayConfig config);

}  // namespace pawl::outbound
