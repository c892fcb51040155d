// Gauges of unfinished work: events by provider and status, payments by gateway and state, and runs
// whose gateway is no longer configured. A maintenance task.
#pragma once

#include <string>
#include <vector>

#include "base/metrics.hpp"
#include "jobs/upkeep.hpp"

namespace pawl::intents {

// `gateways`: the names of those that are configured.
jobs::Chore measuring_open(Metrics& metrics, std::vector<std::string> gateways);

}  // namespace pawl::intents
