// Partitions of deliveries, rejections and finished jobs, made ahead of the clock. On the caller's
// session.
#pragma once

#include "base/clock.hpp"
#include "db/session.hpp"

namespace pawl::intents {

int make_partitions(db::Session& session, Time now);  // how many were missing

}  // namespace pawl::intents
