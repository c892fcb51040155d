#include "jobs/breaker.hpp"

#include <algorithm>

namespace pawl::jobs {

std::size_t Breaker::allows(std::size_t room, std::size_t running, Time now) const {
    if (open(now)) return 0;
    if (failures_ < options_.failures_max) return room;
    return running == 0 ? std::min<std::size_t>(room, 1) : 0;  // one, to see
}

bool Breaker::succeeded() {
    const bool was_open = openings_ > 0;
    failures_ = 0;
    openings_ = 0;
    return was_open;
}

void Breaker::failed(Time now, Rng& chance) {
    if (++failures_ < options_.failures_max || open(now)) return;
    Duration pause = options_.first;
    for (int i = 0; i < openings_ && pause < options_.longest; ++i) pause *= 2;
    pause = std::min(pause, options_.longest);
    ++openings_;
    // Between half and all of it: the workers of a fleet do not come back together.
    const auto half = static_cast<std::uint64_t>(pause.count() / 2);
    pause_until(now + Duration(half + chance.below(half + 1)));
}

void Breaker::pause_until(Time until) {
    quiet_until_ = std::max(quiet_until_, until);
}

}  // namespace pawl::jobs
