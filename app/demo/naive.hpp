// The receiver that is written by hand in an afternoon: it verifies the signature, remembers event
// ids, takes only what is newer than the last, marks as processed and then credits. A program of
// its own, so that it can be killed as Pawl is; what it knows is in a file that it writes through
// to the disk. It is what the demo compares with, and nothing more.
#pragma once

#include <cstdint>
#include <string>

#include "app/cli.hpp"
#include "base/result.hpp"
#include "providers/provider.hpp"

namespace pawl::app {

// Serves until it is told to stop. GET /balances answers with its books.
int run_naive_receiver(const Context& context, std::uint16_t port, const std::string& file,
                       const providers::Provider& provider);

}  // namespace pawl::app
