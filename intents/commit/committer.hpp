// Group commit. Deliveries that are queued together are committed together: a committer thread with
// a private session takes the queued ones, without a timer, runs one transaction, and only after
// its commit answers each delivery. `submit` may be called from every thread; the callback runs on
// a thread of the committer, once, and must not block.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "base/timer.hpp"
#include "db/session.hpp"
#include "intents/accept/accept.hpp"
#include "intents/commit/commit_queue.hpp"
#include "intents/segments/segment_filters.hpp"

namespace pawl::intents {

struct CommitterOptions {
    std::size_t committers = 1;  // threads, each with its session
    std::size_t batch_max = 256;
    std::size_t queue_max = 4096;
    // A delivery not answered by then gets 503, whatever the database is doing.
    std::chrono::milliseconds answer_within{1500};
    // Called after every commit, on the committer's thread: something may have been staged.
    std::function<void()> on_commit = {};
    std::size_t batch_bytes = QueueLimits{}.batch_bytes;
    std::size_t locks_max = QueueLimits{}.locks_max;
    // Kept up to date by the committers. If null, every segment is searched by its index.
    SegmentFilters* filters = nullptr;
};

class Committer {
  public:
    // `timer` must outlive it.
    Committer(CommitterOptions options, db::SessionOptions session, Timer& timer,
              const Clock& clock, Metrics& metrics);
    ~Committer();  // stops

    void start();
    void stop();  // commits what was accepted, then returns

    [[nodiscard]] bool submit(Submission submission,
                              OnAnswer on_answer);  // false: full or stopping
    bool database_up() const { return database_up_; }

  private:
    // Result of an attempt to commit a batch unchanged.
    enum class Tried {
        answered,   // each of its deliveries, if only with 503
        too_much,   // smaller pieces may fare better
        locked,     // a lock did not come free in time
        malformed,  // a single delivery, because of its data
    };
    enum class Patience { full, little };

    void run();
    void expire_overdue();  // on the timer's thread, and again when the next is due
    void keep_filters(db::Session& session);
    bool commit(db::Session& session, const Work& work, LockScope scope, Patience patience);
    void commit_or_split(db::Session& session, const Work& work, Patience patience);
    void commit_halves(db::Session& session, const Work& work, Patience patience);
    void commit_unblocked(db::Session& session, const Work& work);
    void retry_deferred(db::Session& session, const Work& deferred);
    Work defer_blocked(db::Session& session, const Work& work);
    Tried try_commit(db::Session& session, const Work& work, Patience patience);
    Tried give_up(const Work& work, const db::Failure& failure);
    void quarantine(db::Session& session, const std::shared_ptr<PendingDelivery>& one,
                    const char* reason);
    void note_database(bool up);

    const CommitterOptions options_;
    const db::SessionOptions session_options_;
    Timer& timer_;
    const Clock& clock_;
    Histogram& batch_size_;
    Gauge& db_up_;

    CommitQueue queue_;
    PostedShapes posted_shapes_;
    std::atomic<bool> database_up_{true};
    std::vector<std::thread> threads_;
    std::mutex late_mutex_;
    bool stopped_ = false;
    Timer::Deadline late_;
};

}  // namespace pawl::intents
