// /sandbox: a test's requests to the sandbox itself. Needs no API key, and works while the provider
// is "down".
#pragma once

#include "sandbox/http.hpp"
#include "sandbox/world.hpp"

namespace pawl::sandbox {

Reply handle_control(World& world, const Request& request);

}  // namespace pawl::sandbox
