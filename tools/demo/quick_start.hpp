// The naive receiver that the demo compares with, as the quick-start pages of payment providers
// show it. It verifies the signature, inserts the event's id into a table, adds the amount to the
// account's balance and answers. A separate program, so that it can be killed as Pawl is.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "providers/provider.hpp"

namespace pawl::app {

// Serves until a signal stops it. GET /balances answers with the sum of its balances, and with the
// events that are in its table and in no balance.
Result<int> run_quick_start_receiver(std::uint16_t port, const std::string& file,
                                     const providers::Provider& provider);

}  // namespace pawl::app
