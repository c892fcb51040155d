// The delay before a retry: a random time below a ceiling that doubles with every attempt, so that
// calls that failed together are not retried together.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace pawl::workflows {

Duration ceiling_of(std::int64_t attempt, Duration first, Duration longest);
Duration full_jitter(std::int64_t attempt, Duration first, Duration longest);
// At least half of the ceiling: where a count of tries stands for a length of time.
Duration half_jitter(std::int64_t attempt, Duration first, Duration longest);

}  // namespace pawl::workflows
