// Runs delayed tasks on a few threads of its own: webhooks and their retries, payments that take a
// while. Tasks that are pending at stop are dropped. Safe from every thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace pawl::sandbox {

class Schedule {
  public:
    explicit Schedule(std::size_t threads);
    ~Schedule() { stop(); }
    Schedule(const Schedule&) = delete;
    Schedule& operator=(const Schedule&) = delete;

    void after(std::chrono::milliseconds delay, std::function<void()> task);
    bool sleep(std::chrono::milliseconds time);  // false: woken by stop()
    void stop();

  private:
    using When = std::chrono::steady_clock::time_point;
    void run();

    std::mutex mutex_;
    std::condition_variable wake_;     // wakes the threads
    std::condition_variable stopped_;  // wakes the sleepers at stop
    std::multimap<When, std::function<void()>> tasks_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace pawl::sandbox
