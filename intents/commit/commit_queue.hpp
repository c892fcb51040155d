// Queue of deliveries for the committers, with every delivery that has no answer yet. Bounded by
// the unanswered ones, because a database that hangs must not let the queue grow. A delivery is
// answered once: by a commit or by a deadline. Deliveries blocked by another session's lock are
// deferred and checked every 100 ms. Safe from every thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "intents/accept/submission.hpp"

namespace pawl::intents {

// Receives the result, or nullopt if the commit was not durable in time: then the sender must
// redeliver. The submission comes with it, unless a committer still uses it, so that its owner can
// free it.
using OnAnswer = std::function<void(std::optional<DeliveryResult>, Submission)>;

using Steady = std::chrono::steady_clock::time_point;

struct PendingDelivery {
    Submission submission;
    OnAnswer on_answer;
    Steady give_up_at;
    std::atomic<std::size_t>* open = nullptr;  // number of unanswered ones; null: not counted
    bool taken = false;                        // a committer works on it; under the queue's mutex
    std::atomic<bool> answered{false};

    void answer(std::optional<DeliveryResult> result);
    void finish(DeliveryResult result);  // by the committer that works on it
    OnAnswer claim_answer();             // empty: it has one
};

using Work = std::vector<std::shared_ptr<PendingDelivery>>;

struct QueueLimits {
    std::size_t batch_max = 256;  // events in a transaction, or one delivery
    // Advisory locks of a transaction, or of one delivery: the table of locks is shared by all
    // users of the server, and a full one fails all of them.
    std::size_t locks_max = 1600;
    std::size_t batch_bytes = std::size_t{4} * 1024 * 1024;  // limit of bodies, or one body
    std::size_t open_max = 4096;                             // unanswered
    std::chrono::milliseconds answer_within{1500};
    // The time for which a batch may grow during another commit: in larger batches a delivery costs
    // less (about 4 % of the CPU time with 256 connections), and this bounds the delay.
    std::chrono::milliseconds gather_max{1};
};

// The most advisory locks that a delivery can need.
std::size_t lock_count(const Submission& submission);

class CommitQueue {
  public:
    CommitQueue(QueueLimits limits, const Clock& clock, Gauge& depth)
        : limits_(limits), clock_(clock), depth_(depth) {}

    [[nodiscard]] bool push(Submission submission,
                            OnAnswer on_answer);  // false: full or stopping
    void stop();                                  // nothing more comes in
    bool over() const;                            // and nothing is left
    // Answers those that have waited for too long. Returns when it must be called again.
    Steady expire_overdue();

    struct Taken {
        Work work;
        Work deferred;  // deferred deliveries whose locks are to be checked again
    };
    // Waits for something; may be empty all the same. `committed`: the size of the work that this
    // committer took before and has finished.
    Taken take(std::size_t committed);

    // Records the locks that were probed, and those of them that another session holds.
    void note_locks(const std::set<std::int64_t>& asked, const std::set<std::int64_t>& held);
    void defer(const Work& work);
    void requeue(const Work& work);  // first in line

  private:
    void wait_for_work(std::unique_lock<std::mutex>& lock);
    void gather(std::unique_lock<std::mutex>& lock);
    void drop_answered();
    bool must_wait(const Submission& submission) const;

    const QueueLimits limits_;
    const Clock& clock_;
    Gauge& depth_;

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::shared_ptr<PendingDelivery>> queue_;      // not yet taken by a committer
    std::deque<std::shared_ptr<PendingDelivery>> deadlines_;  // not yet overdue, oldest first
    Work deferred_;
    Steady look_at_{};               // next check of the deferred ones' locks
    std::set<std::int64_t> locked_;  // locks that the deferred ones wait for
    std::size_t committing_ = 0;     // taken by committers that have not come back
    std::size_t wanted_ = 1;         // number of deliveries that wakes a committer
    std::atomic<std::size_t> open_{0};
    bool stopping_ = false;
};

}  // namespace pawl::intents
