// Which idempotency keys were seen, and what was answered under them, for as long as the horizon
// says. Safe from every thread.
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

    // How many requests carried this key, this one included, whatever becomes of it.
    std::int64_t seen(const std::string& key);
    // Whoever is told `is_new` calls finish() or forget() once.
    Begun begin(const std::string& key, const std::string& fingerprint, Time now);
    void finish(const std::string& key, Stored answer);
    void forget(const std::string& key);
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
    std::map<std::string, std::int64_t> sends_;  // of all time: the horizon does not concern it
};

}  // namespace pawl::sandbox
