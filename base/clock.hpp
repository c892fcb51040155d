// The only source of the current time. All other code is passed a Clock (or a Time), so that a test
// can stand still, jump a month, or run backwards. SystemClock may be shared by threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pawl {

using Duration = std::chrono::microseconds;  // PostgreSQL's own resolution
using Time = std::chrono::time_point<std::chrono::system_clock, Duration>;

constexpr std::chrono::milliseconds to_ms(Duration duration) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration);
}

class Clock {
  public:
    virtual ~Clock() = default;
    virtual Time now() const = 0;
    // Monotonic: for timeouts and measuring, not for timestamps.
    virtual std::chrono::steady_clock::time_point steady() const = 0;
};

class SystemClock final : public Clock {
  public:
    Time now() const override;
    std::chrono::steady_clock::time_point steady() const override;
};

// A clock that stands still until it is moved. For tests; one thread moves it.
class ManualClock final : public Clock {
  public:
    explicit ManualClock(Time start) : now_(start) {}
    Time now() const override { return now_; }
    std::chrono::steady_clock::time_point steady() const override {
        return std::chrono::steady_clock::time_point(now_.time_since_epoch());
    }
    void advance(Duration by) { now_ += by; }
    void set(Time to) { now_ = to; }

  private:
    Time now_;
};

std::string to_rfc3339(Time time);  // 2026-01-31T12:00:00.123456Z
Result<Time> parse_rfc3339(std::string_view text);

// "10s", "72h", "3d", "250ms": durations as configuration files write them.
Result<Duration> parse_duration(std::string_view text);
std::string to_text(Duration duration);  // the shortest such form

}  // namespace pawl
