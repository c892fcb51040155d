// Finishes what nobody else finishes: events left pending by a pause or a crash, parked ones whose
// release was too much for one transaction, and those whose deadline has passed. Work is claimed
// with a lease whose number only rises; every write carries it. What was tried in vain comes after
// everything else, alone, and twice as late each time. `run_once` does one round and is what tests
// drive; `start` repeats it on a thread of its own, with a session of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "db/session.hpp"
#include "intents/submission.hpp"
#include "intents/watch.hpp"

namespace pawl::intents {

struct SweeperOptions {
    std::chrono::milliseconds interval{500};  // between two looks that found nothing
    std::int64_t claim_max = 64;              // events in one round
    std::chrono::seconds lease{30};
    std::int64_t attempts_max = 8;  // claims that ended in nothing, before a person must look
    std::function<void()> on_commit = {};  // jobs may have been staged
};

class Sweeper {
  public:
    Sweeper(SweeperOptions options, db::SessionOptions session, const Clock& clock,
            Metrics& metrics);
    ~Sweeper();  // stops

    void start();
    void drain();  // begins nothing more; returns at once
    void stop();

    // One round: how many events it claimed. Throws db::Failure.
    std::size_t run_once(db::Session& session);

  private:
    void run();
    std::vector<Submission> claim(db::Session& session, std::int64_t at_most,
                                  std::pair<std::int64_t, std::int64_t> attempts);
    std::size_t try_suspects(db::Session& session);
    void finish(db::Session& session, const std::vector<Submission>& claimed);
    void finish_one(db::Session& session, const Submission& claimed);
    void note(const std::vector<Answer>& answers);

    const SweeperOptions options_;
    const db::SessionOptions session_options_;
    const Clock& clock_;
    Counter& stale_writes_;
    Watch watch_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

}  // namespace pawl::intents
