#include "workflows/engine/pace.hpp"

#include <algorithm>

namespace pawl::workflows {

int Pace::allowed(int wanted, Steady now) {
    if (per_second_ == 0 || wanted <= 0) return wanted;
    constexpr std::int64_t saved_max_ms = 1000;
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(now - filled_);
    saved_ms_ = std::min(saved_max_ms, saved_ms_ + std::min(passed.count(), saved_max_ms));
    filled_ = now;
    return static_cast<int>(std::clamp<std::int64_t>(saved_ms_ * per_second_ / 1000, 0, wanted));
}

}  // namespace pawl::workflows
