// Parses a subscriber's Retry-After. Pure.
#pragma once

#include <optional>

#include "base/clock.hpp"
#include "outbound/http_client.hpp"

namespace pawl::jobs {

// From now on, an hour at most; nothing where there is none or it cannot be read. A date is taken
// as the distance from the answer's own Date: what the other side's clock shows does not matter.
std::optional<Duration> retry_after(const outbound::HttpReply& reply, Time now);

}  // namespace pawl::jobs
