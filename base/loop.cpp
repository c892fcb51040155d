#include "base/loop.hpp"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/log.hpp"

namespace pawl {

std::chrono::microseconds jittered(std::chrono::microseconds pause, Rng& chance) {
    const auto whole = static_cast<std::uint64_t>(pause.count());
    return std::chrono::microseconds(whole / 2 + chance.below(whole + 1));
}

Loop::Loop(std::string name, Step step, std::chrono::milliseconds pause_after_failure)
    : name_(std::move(name)), step_(std::move(step)), pause_after_failure_(pause_after_failure) {}

Loop::~Loop() {
    join();
}

void Loop::start() {
    thread_ = std::thread([this] {
        constexpr std::size_t name_max = 15;  // the kernel's limit
        pthread_setname_np(pthread_self(), name_.substr(0, name_max).c_str());
        run();
    });
}

void Loop::poke() {
    if (poked_.exchange(true)) return;
    { const std::lock_guard lock(mutex_); }  // so that a thread about to sleep cannot miss it
    changed_.notify_all();
}

void Loop::drain() {
    {
        const std::lock_guard lock(mutex_);
        draining_ = true;
    }
    changed_.notify_all();
}

void Loop::join() {
    drain();
    wait();
}

void Loop::wait() {
    if (thread_.joinable()) thread_.join();
}

void Loop::run() {
    while (!draining_) {
        try {
            pause(step_(), true);
        } catch (const std::exception& failure) {
            log::debug("round failed", {{"loop", name_}, {"error", failure.what()}});
            pause(jittered(pause_after_failure_, chance_), false);
        }
    }
}

void Loop::pause(Pause longest, bool may_be_poked) {
    const auto woken = [&] { return draining_ || (may_be_poked && poked_); };
    std::unique_lock lock(mutex_);
    if (longest == until_poked) {
        changed_.wait(lock, woken);
    } else {
        changed_.wait_for(lock, longest, woken);
    }
    if (may_be_poked) poked_ = false;
}

}  // namespace pawl
