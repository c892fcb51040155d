#include "base/timer.hpp"

#include <pthread.h>

namespace pawl {

Timer::Deadline& Timer::Deadline::operator=(Deadline&& other) noexcept {
    if (this == &other) return *this;
    cancel();
    timer_ = std::exchange(other.timer_, nullptr);
    place_ = other.place_;
    return *this;
}

void Timer::Deadline::cancel() {
    if (Timer* const timer = std::exchange(timer_, nullptr)) timer->cancel(place_);
}

Timer::Timer() : thread_([this] { run(); }) {}

Timer::~Timer() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

Timer::Deadline Timer::at(Steady time, Call call) {
    Deadline::Place place;
    bool earlier = false;
    {
        const std::lock_guard lock(mutex_);
        place = {time, ++last_};
        calls_.emplace(place, std::move(call));
        earlier = time < wakes_;
        if (earlier) wakes_ = time;
    }
    if (earlier) changed_.notify_all();
    return {*this, place};
}

void Timer::cancel(const Deadline::Place& place) {
    Call unused;  // destroyed after the lock is released
    std::unique_lock lock(mutex_);
    if (const auto found = calls_.find(place); found != calls_.end()) {
        unused = std::move(found->second);
        calls_.erase(found);
    } else if (std::this_thread::get_id() != thread_.get_id()) {
        called_.wait(lock, [&] { return under_way_ != place.second; });
    }
    lock.unlock();
}

// A canceled deadline still wakes the thread, once: notifying it would cost more, for each
// statement.
void Timer::run() {
    pthread_setname_np(pthread_self(), "timer");
    std::unique_lock lock(mutex_);
    while (!ending_) {
        wakes_ = calls_.empty() ? Steady::max() : calls_.begin()->first.first;
        if (wakes_ == Steady::max()) {
            changed_.wait(lock, [this] { return ending_ || wakes_ != Steady::max(); });
            continue;
        }
        if (std::chrono::steady_clock::now() < wakes_) {
            changed_.wait_until(lock, Steady(wakes_));
            continue;
        }
        auto due = calls_.extract(calls_.begin());
        under_way_ = due.key().second;
        lock.unlock();
        due.mapped()();
        due.mapped() = {};
        lock.lock();
        under_way_ = 0;
        called_.notify_all();
    }
}

}  // namespace pawl
