// The idempotency keys seen, and their answers, for the length of the horizon. Safe from every
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/clock.hpp"

namespace pawl::sandbox {

struct Stored {
    int status = 0;
    std::string body;
};

class KeyMemory {
  public:
    explicit KeyMemory(Duration horizon) : horizon_(horizon) {}

    enum class Known { is_new, in_use, other_request, answered };
    struct Begun {
        Known known = Known::is_new;
        Stored answer;  // where it was answered
    };

    // Number of requests with this key, this one and failed ones included.
    std::int64_t seen(const std::string& key);
    // A caller that gets `is_new` then calls `finish` once.
    Begun begin(const std::string& key, const std::string& fingerprint, Time now);
    void finish(const std::string& key, Stored answer);
    std::map<std::string, std::int64_t> sends() const;

  private:
    struct Entry {
        std::string fingerprint;
        Time since;
        bool answered = false;
        Stored answer;
    };
    const Duration horizon_;
    mutable std::mutex mutex_;
    std::map<std::string, Entry> entries_;
    std::map<std::string, std::int64_t> sends_;  // all sends, regardless of the horizon
};

}  // namespace pawl::sandbox
