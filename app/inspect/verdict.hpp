// The provider stage's result for one delivery, as JSON. Pure.
#pragma once

#include <string>

#include "providers/provider.hpp"

namespace pawl::app {

std::string verdict_json(const providers::Provider& provider, const providers::Delivery& delivery,
                         const providers::Received& received);

}  // namespace pawl::app
