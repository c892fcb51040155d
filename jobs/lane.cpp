#include "jobs/lane.hpp"

namespace pawl::jobs {

Lane::Lane(LaneSpec spec)
    : spec_(std::move(spec)),
      breaker_(spec_.breaker),
      // The worker never holds more than that, a crashed job included.
      threads_(spec_.target.empty() ? spec_.kind : spec_.target, spec_.concurrency,
               spec_.held_max + 1) {}

ClaimRequest Lane::want(Time now) const {
    ClaimRequest want{spec_.kind, spec_.target, 0, 0, spec_.ordered};
    // Claiming by twos and threes costs as much as claiming by the dozen.
    if (held_ > spec_.held_max / 2) return want;
    want.room = breaker_.allows(spec_.held_max - held_, held_, now);
    want.suspects = suspects_ == 0 ? 1 : 0;
    return want;
}

void Lane::holds(const HeldJob& job) {
    ++held_;
    suspects_ += job.suspect ? 1 : 0;
}

void Lane::release(const HeldJob& job) {
    --held_;
    suspects_ -= job.suspect ? 1 : 0;
}

}  // namespace pawl::jobs
