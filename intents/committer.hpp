// Group commit. Deliveries that wait together are committed together: a committer thread with a
// session of its own takes whatever is queued, without a timer, runs one transaction, and only
// after its commit gives each delivery its own answer. The queue is bounded. `submit` may be called
// from every thread; the answer is called from a thread of ours, once, and must not block.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "db/session.hpp"
#include "intents/accept.hpp"
#include "intents/submission.hpp"

namespace pawl::intents {

struct CommitterOptions {
    std::size_t committers = 1;   // threads, each with its session
    std::size_t batch_max = 256;  // events in a transaction, or one delivery: bounds its locks
    std::size_t queue_max = 4096;
    // A delivery not answered by then gets 503, whatever the database is doing.
    std::chrono::milliseconds answer_within{1800};
    // Called after every commit, on the committer's thread: something may have been staged.
    std::function<void()> on_commit = {};
};

// Nothing: it could not be made durable in time. The sender must deliver it again. What was
// submitted comes back with its answer, unless a committer still works on it: whoever made it can
// free it.
using OnAnswer = std::function<void(std::optional<Answer>, Submission)>;

class Committer {
  public:
    Committer(CommitterOptions options, db::SessionOptions session, const Clock& clock,
              Metrics& metrics);
    ~Committer();  // stops

    void start();
    void stop();  // commits what was accepted, then returns

    [[nodiscard]] bool submit(Submission submission,
                              OnAnswer on_answer);  // false: full or stopping
    bool database_up() const { return database_up_; }

  private:
    struct Waiting;
    using Work = std::vector<std::shared_ptr<Waiting>>;

    void run();
    void give_up_on_the_late();
    Work take();
    void commit(db::Session& session, const Work& work, Look look);
    void commit_or_split(db::Session& session, const Work& work);
    bool try_commit(db::Session& session, const Work& work, bool& split);
    void quarantine(db::Session& session, const std::shared_ptr<Waiting>& one, const char* reason);
    void note_database(bool up);

    const CommitterOptions options_;
    const db::SessionOptions session_options_;
    const Clock& clock_;
    Histogram& batch_size_;
    Gauge& queue_depth_;
    Gauge& db_up_;

    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable late_wake_;
    std::deque<std::shared_ptr<Waiting>> queue_;      // not yet taken by a committer
    std::deque<std::shared_ptr<Waiting>> deadlines_;  // everything unanswered, oldest first
    bool stopping_ = false;
    std::atomic<bool> database_up_{true};
    std::vector<std::thread> threads_;
    std::thread late_thread_;
};

}  // namespace pawl::intents
