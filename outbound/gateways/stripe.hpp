// Stripe's API, version 1: PaymentIntents and refunds. Also what `pawl sandbox` speaks.
#pragma once

#include <memory>

#include "outbound/gateway.hpp"

namespace pawl::outbound {

std::unique_ptr<Gateway> make_stripe(GatewayConfig config);

}  // namespace pawl::outbound
