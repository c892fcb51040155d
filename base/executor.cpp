#include "base/executor.hpp"

#include <pthread.h>

#include <exception>
#include <system_error>
#include <utility>

#include "base/log.hpp"

namespace pawl {

Executor::Executor(std::string name, std::size_t threads, std::size_t queue_max)
    // The kernel's limit for thread names.
    : name_(name.substr(0, 15)), threads_max_(threads), queue_max_(queue_max) {}

Executor::~Executor() {
    stop();
}

bool Executor::post(std::function<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_ || queue_.size() >= queue_max_) return false;
        queue_.push_back(std::move(task));
        const bool needed = queue_.size() > idle_ && threads_.size() < threads_max_;
        if (needed && !begin_thread() && threads_.empty()) {
            queue_.pop_back();
            return false;
        }
    }
    wake_.notify_one();
    return true;
}

// Returns false if the system has no thread left; the existing ones continue.
bool Executor::begin_thread() {
    try {
        threads_.emplace_back([this] {
            pthread_setname_np(pthread_self(), name_.c_str());
            run();
        });
        return true;
    } catch (const std::system_error& error) {
        log::warn("thread start failed", {{"executor", name_}, {"error", error.what()}});
        return false;
    }
}

void Executor::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
}

std::size_t Executor::depth() const {
    const std::lock_guard lock(mutex_);
    return queue_.size();
}

std::size_t Executor::threads() const {
    const std::lock_guard lock(mutex_);
    return threads_.size();
}

std::size_t Executor::idle() const {
    const std::lock_guard lock(mutex_);
    return idle_;
}

void Executor::run() {
    for (;;) {
        std::function<void()> task;
        {
            std::unique_lock lock(mutex_);
            ++idle_;
            wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
            --idle_;
            if (queue_.empty()) return;
            task = std::move(queue_.front());
            queue_.pop_front();
        }
        try {
            task();
        } catch (const std::exception& e) {
            log::error("a task ended in an exception", {{"error", e.what()}});
        }
    }
}

}  // namespace pawl
