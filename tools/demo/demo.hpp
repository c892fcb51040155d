// Runs the end-to-end crash demo: a payment provider, Pawl, and for comparison a receiver as
// quick-start pages show it; the same deliveries to both, duplicated and out of order, with SIGKILL
// in the middle; and prints expected and actual results. Called once by its command.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "providers/provider.hpp"
#include "settings/settings.hpp"
#include "settings/terminal.hpp"

namespace pawl::app {

struct DemoOptions {
    std::uint64_t seed = 0;  // 0: a new one, shown
    std::size_t payments = 400;
    int orders = 24;
    int kills = 2;
    double per_second = 30;  // deliveries, to each of the two
};

// Returns the exit code: 0 if the books match the expected sums.
Result<int> run_demo(const DemoOptions& options, const Settings& settings,
                     const providers::Provider& provider, const Terminal& out);

}  // namespace pawl::app
