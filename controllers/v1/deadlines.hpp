// Answers 503 for requests of /v1 that nobody else has answered in time, because the database hangs
// and holds the threads that would. What was asked for may still be done: who repeats it under its
// key finds out. One thread; `watch` is safe from every thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "controllers/http.hpp"

namespace pawl::http {

class Deadlines {
  public:
    explicit Deadlines(const Clock& clock) : clock_(clock) {}
    ~Deadlines();  // stops

    // Again for the same one: the later word counts.
    void watch(const Responder& respond, Duration within);

    void start();
    void stop();
    void run_once();

  private:
    struct Watched {
        Responder respond;
        std::chrono::steady_clock::time_point by;
    };

    const Clock& clock_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::map<const void*, Watched> watched_;  // by the responder's id
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace pawl::http
