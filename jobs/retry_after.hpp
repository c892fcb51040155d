// Parses a subscriber's Retry-After. Pure.
#pragma once

#include <optional>

#include "base/clock.hpp"
#include "outbound/http_client.hpp"

namespace pawl::jobs {

// The wait from now on, an hour at most; nullopt if it is missing or unreadable. A date counts from
// the answer's own Date, because the subscriber's clock may be wrong.
std::optional<Duration> retry_after(const outbound::HttpReply& reply, Time now);

}  // namespace pawl::jobs
