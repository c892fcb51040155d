#include "base/executor.hpp"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/log.hpp"

namespace pawl {

Executor::Executor(std::string name, std::size_t threads, std::size_t queue_max)
    : queue_max_(queue_max) {
    name.resize(std::min<std::size_t>(name.size(), 15));  // the kernel's limit for thread names
    for (std::size_t i = 0; i < threads; ++i) {
        threads_.emplace_back([this, name] {
            pthread_setname_np(pthread_self(), name.c_str());
            run();
        });
    }
}

Executor::~Executor() {
    stop();
}

bool Executor::post(std::function<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_ || queue_.size() >= queue_max_) return false;
        queue_.push_back(std::move(task));
    }
    wake_.notify_one();
    return true;
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

void Executor::run() {
    for (;;) {
        std::function<void()> task;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;
            task = std::move(queue_.front());
            queue_.pop_front();
        }
        try {
            task();
        } catch (const std::exception& e) {
            log::error("a task ended in an exception", {{"what", e.what()}});
        }
    }
}

}  // namespace pawl
