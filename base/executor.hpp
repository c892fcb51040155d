// A bounded pool of threads. `post` says no instead of growing; `stop` runs what was accepted and
// returns when the threads have ended. Safe from every thread; owned by whoever constructed it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pawl {

class Executor {
  public:
    Executor(std::string name, std::size_t threads, std::size_t queue_max);
    ~Executor();  // stops
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    [[nodiscard]] bool post(std::function<void()> task);  // false: full, or stopping
    void stop();
    std::size_t depth() const;

  private:
    void run();

    const std::size_t queue_max_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> queue_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace pawl
