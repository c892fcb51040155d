// A bounded pool of threads, each made when it is first needed: a task never waits for a thread
// while fewer than `threads` are busy. `post` refuses a task if the queue is full; `stop` runs the
// accepted ones and returns when the threads have ended. Safe from every thread; owned by the part
// that constructed it.
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
    std::size_t depth() const;    // tasks that wait
    std::size_t threads() const;  // made so far
    std::size_t idle() const;

  private:
    void run();
    bool begin_thread();

    const std::string name_;
    const std::size_t threads_max_;
    const std::size_t queue_max_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> queue_;
    std::size_t idle_ = 0;  // threads that wait for a task
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace pawl
