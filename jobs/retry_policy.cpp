#include "jobs/retry_policy.hpp"

#include <algorithm>

namespace pawl::jobs {

Duration ceiling_after(const RetryPolicy& policy, std::int64_t attempts) {
    Duration ceiling = policy.first;
    for (std::int64_t i = 1; i < attempts && ceiling < policy.longest; ++i) ceiling *= 2;
    return std::min(ceiling, policy.longest);
}

std::optional<Duration> wait_after(const RetryPolicy& policy, std::int64_t attempts,
                                   std::optional<Duration> at_least, Rng& chance) {
    if (attempts >= policy.attempts_max) return std::nullopt;
    const auto ceiling = static_cast<std::uint64_t>(ceiling_after(policy, attempts).count());
    const Duration jittered(chance.below(ceiling + 1));
    // Retry-After never extends the wait beyond the longest one of the policy.
    const Duration asked = std::min(at_least.value_or(Duration::zero()), policy.longest);
    return std::max(jittered, asked);
}

}  // namespace pawl::jobs
