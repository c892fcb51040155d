// The wait before the next attempt, and the last attempt. Pure: the random generator is passed in.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "base/rng.hpp"

namespace pawl::jobs {

// The defaults retry for about two days, which bridges a subscriber's outage over a weekend.
struct RetryPolicy {
    std::int64_t attempts_max = 30;
    Duration first = std::chrono::seconds(2);  // the ceiling of the first wait; it doubles
    Duration longest = std::chrono::hours(6);
};

Duration ceiling_after(const RetryPolicy& policy, std::int64_t attempts);

// Exponential backoff with full jitter: between zero and the ceiling, so that jobs that failed
// together do not retry together. `at_least` comes from Retry-After. Returns nullopt after the last
// attempt.
std::optional<Duration> wait_after(const RetryPolicy& policy, std::int64_t attempts,
                                   std::optional<Duration> at_least, Rng& chance);

}  // namespace pawl::jobs
