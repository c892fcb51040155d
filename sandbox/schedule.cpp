#include "sandbox/schedule.hpp"

#include <utility>

namespace pawl::sandbox {

Schedule::Schedule(std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

void Schedule::after(std::chrono::milliseconds delay, std::function<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
        tasks_.emplace(std::chrono::steady_clock::now() + delay, std::move(task));
    }
    wake_.notify_one();
}

bool Schedule::sleep(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    const When until = std::chrono::steady_clock::now() + time;
    return !stopped_.wait_until(lock, until, [this] { return stopping_; });
}

void Schedule::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    stopped_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

void Schedule::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        if (tasks_.empty()) {
            wake_.wait(lock);
            continue;
        }
        const auto first = tasks_.begin();
        if (first->first > std::chrono::steady_clock::now()) {
            const When when = first->first;
            wake_.wait_until(lock, when);
            continue;
        }
        const std::function<void()> task = std::move(first->second);
        tasks_.erase(first);
        lock.unlock();
        task();
        lock.lock();
    }
}

}  // namespace pawl::sandbox
