// How long to wait before trying again: anything between nothing and a ceiling that doubles with
// every attempt, so that those who failed together do not come back together.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace pawl::workflows {

Duration ceiling_of(std::int64_t attempt, Duration first, Duration longest);
Duration full_jitter(std::int64_t attempt, Duration first, Duration longest);
// At least half of the ceiling: where a count of tries stands for a length of time.
Duration half_jitter(std::int64_t attempt, Duration first, Duration longest);

}  // namespace pawl::workflows
