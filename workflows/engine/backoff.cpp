#include "workflows/engine/backoff.hpp"

#include <algorithm>

#include "base/rng.hpp"

namespace pawl::workflows {

Duration ceiling_of(std::int64_t attempt, Duration first, Duration longest) {
    Duration ceiling = first;
    for (std::int64_t i = 1; i < attempt && ceiling < longest; ++i) ceiling *= 2;
    return std::min(ceiling, longest);
}

Duration full_jitter(std::int64_t attempt, Duration first, Duration longest) {
    SecureRng rng;
    const auto ceiling = ceiling_of(attempt, first, longest).count();
    return Duration(static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(ceiling) + 1)));
}

Duration half_jitter(std::int64_t attempt, Duration first, Duration longest) {
    const Duration half = ceiling_of(attempt, first, longest) / 2;
    return half + full_jitter(1, half, half);
}

}  // namespace pawl::workflows
