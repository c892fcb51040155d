#include "jobs/wake.hpp"

namespace pawl::jobs {

std::chrono::microseconds jittered(std::chrono::microseconds pause, Rng& chance) {
    const auto whole = static_cast<std::uint64_t>(pause.count());
    return std::chrono::microseconds(whole / 2 + chance.below(whole + 1));
}

void Wake::poke() {
    if (poked_.exchange(true)) return;
    { const std::lock_guard lock(mutex_); }  // so that a sleeper about to wait cannot miss it
    changed_.notify_all();
}

void Wake::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
}

bool Wake::wait_for(std::chrono::microseconds longest) {
    std::unique_lock lock(mutex_);
    const bool told =
        changed_.wait_for(lock, longest, [this] { return poked_.load() || stopping_.load(); });
    poked_ = false;
    return told;
}

}  // namespace pawl::jobs
