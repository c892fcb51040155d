// One thread, many deadlines: calls a function when its time has come, unless it was canceled
// before. Idle it costs nothing: the thread sleeps until the earliest deadline. Made once for a
// program and shared; safe from every thread; outlives its deadlines.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace pawl {

class Timer {
  public:
    using Steady = std::chrono::steady_clock::time_point;
    // Runs on the timer's thread, where all others wait for it: it must not block, and must not
    // throw.
    using Call = std::function<void()>;

    // Cancels in its destructor. For one thread at a time.
    class Deadline {
      public:
        Deadline() = default;
        ~Deadline() { cancel(); }
        Deadline(Deadline&& other) noexcept { *this = std::move(other); }
        Deadline& operator=(Deadline&& other) noexcept;
        // After it returns, the call neither runs nor will run: its objects may be destroyed.
        // Inside the call itself it does nothing.
        void cancel();

      private:
        friend class Timer;
        using Place = std::pair<Steady, std::uint64_t>;
        Deadline(Timer& timer, Place place) : timer_(&timer), place_(place) {}
        Timer* timer_ = nullptr;
        Place place_;
    };

    Timer();
    ~Timer();  // calls nothing more
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    [[nodiscard]] Deadline at(Steady time, Call call);

  private:
    void run();
    void cancel(const Deadline::Place& place);

    std::mutex mutex_;
    std::condition_variable changed_;  // for the thread: an earlier time, or the end
    std::condition_variable called_;   // to cancel work in progress
    std::map<Deadline::Place, Call> calls_;
    std::uint64_t last_ = 0;
    std::uint64_t under_way_ = 0;  // 0: none
    Steady wakes_ = Steady::max();
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace pawl
