// What the provider stage made of one delivery, as JSON for people and scripts. Pure.
#pragma once

#include <string>

#include "providers/provider.hpp"

namespace pawl::app {

std::string verdict_json(const providers::Provider& provider, const providers::Delivery& delivery,
                         const providers::Received& received);

}  // namespace pawl::app
