// Maintenance tasks that keep the tables small and the gauges true: each a small periodic step, on
// one thread with one session. A step is bounded; one with more to do is called again after the
// others had their turn. A failed one is retried, a minute later at most; the log reports when
// failures begin, change and end. Tests drive `run_once`.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/loop.hpp"
#include "base/metrics.hpp"
#include "db/session.hpp"

namespace pawl::jobs {

struct Chore {
    std::string name;
    std::chrono::milliseconds every{60000};
    // Returns true if more remains to do. Throws db::Failure.
    std::function<bool(db::Session&, Time now)> step;
};

class Upkeep {
  public:
    // Counts failed steps in pawl_upkeep_failures, by task.
    Upkeep(std::vector<Chore> chores, db::SessionOptions session, const Clock& clock,
           Metrics& metrics);

    void start() { loop_.start(); }
    void drain() { loop_.drain(); }  // begins nothing more; returns at once
    void stop() { loop_.join(); }

    // Runs one step of every due task. Returns true if some task has more to do.
    bool run_once(db::Session& session);

  private:
    Loop::Pause round();

    struct Entry {
        Chore chore;
        Gauge& failures;     // in a row
        std::string failed;  // the last error; empty after a success
        std::chrono::steady_clock::time_point due{};
    };
    static void log_failure(Entry& entry, const db::Failure& failure);
    static void log_recovery(Entry& entry);

    std::vector<Entry> entries_;
    const Clock& clock_;
    db::Session session_;  // used by the loop
    SecureRng chance_;
    Loop loop_;
};

// pawl_staged_jobs and pawl_jobs{state}.
Chore measuring(Metrics& metrics);

// Drops the partitions of jobs that were done or discarded before that time. Dead jobs wait for an
// operator, without a limit.
Chore reaping(Duration kept);

}  // namespace pawl::jobs
