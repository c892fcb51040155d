// Signs generated deliveries: the headers that a provider would send with a body. For `pawl send`
// and tests; the receiving code does not use it. Pure.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "providers/provider.hpp"
#include "providers/scheme.hpp"

namespace pawl::providers {

Result<Headers> sign_delivery(const Scheme& scheme, const ProviderConfig& config,
                              const Outgoing& outgoing, std::string_view private_key);

}  // namespace pawl::providers
