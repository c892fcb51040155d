// Finisher of unfinished events: those left pending by a pause or a crash, parked ones whose
// release was too large for one transaction, and those whose deadline has passed. Events are
// claimed with a lease and a rising fencing token, which every write carries. Failed events are
// retried last, one per transaction, with exponential backoff. `run_once` does one round, which
// tests call; `start` repeats it on a private thread with a private session.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/loop.hpp"
#include "base/metrics.hpp"
#include "db/session.hpp"
#include "intents/accept/submission.hpp"
#include "intents/parking/watch.hpp"

namespace pawl::intents {

struct SweeperOptions {
    std::chrono::milliseconds interval{500};  // pause after a round without a claim
    std::int64_t claim_max = 64;              // events in one round
    std::chrono::seconds lease{30};
    std::int64_t attempts_max = 8;         // failed claims before an event is quarantined
    std::function<void()> on_commit = {};  // jobs may have been staged
};

class Sweeper {
  public:
    Sweeper(SweeperOptions options, db::SessionOptions session, const Clock& clock,
            Metrics& metrics);

    void start() { loop_.start(); }
    void drain() { loop_.drain(); }  // begins nothing more; returns at once
    void stop() { loop_.join(); }

    // Does one round and returns the number of claimed events. Throws db::Failure.
    std::size_t run_once(db::Session& session);

  private:
    Loop::Pause sweep();
    std::vector<Submission> claim(db::Session& session, std::int64_t at_most,
                                  std::pair<std::int64_t, std::int64_t> attempts);
    std::size_t retry_failed(db::Session& session);
    void finish(db::Session& session, const std::vector<Submission>& claimed);
    void finish_one(db::Session& session, const Submission& claimed);
    void note(const Batch& batch, const std::vector<DeliveryResult>& answers);

    const SweeperOptions options_;
    const Clock& clock_;
    Counter& stale_writes_;
    Watch watch_;
    db::Session session_;  // used by the loop
    Loop loop_;
};

}  // namespace pawl::intents
