// Partitions of webhook_deliveries, made ahead of the clock. Inside the caller's session.
#pragma once

#include "base/clock.hpp"
#include "db/session.hpp"

namespace pawl::intents {

int make_partitions(db::Session& session, Time now);  // how many were missing

}  // namespace pawl::intents
