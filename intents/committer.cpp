#include "intents/committer.hpp"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "base/fault.hpp"
#include "base/log.hpp"
#include "intents/accept.hpp"
#include "intents/unstorable.hpp"

namespace pawl::intents {

// One delivery in the queue. Its answer leaves once: from its commit, or from its deadline.
struct Committer::Waiting {
    Submission submission;
    OnAnswer on_answer;
    std::chrono::steady_clock::time_point give_up_at;
    std::atomic<bool> answered{false};

    void answer(std::optional<Answer> result) {
        if (!answered.exchange(true)) std::exchange(on_answer, {})(std::move(result), {});
    }
    void finish(Answer result) {  // by the committer that works on it
        if (answered.exchange(true)) return;
        std::exchange(on_answer, {})(std::move(result), std::move(submission));
    }
};

namespace {

// How often the same events are tried before their senders are asked to come again. Collisions
// are resolved by the second try nearly always; what is left is trouble of another kind.
constexpr int attempts_max = 5;

void strip(providers::Event& event, const char* reason) {
    event.event_id = EventId("sha256:" + event.body_sha256);
    event.quarantine = reason;
    event.type.clear();
    event.object.clear();
    event.account.clear();
    event.movement.reset();
    event.sequence.reset();
}

// Those events that are refused each by itself; all of them where it is not found out which, or
// where stripping some did not help. False: even with all of them bare it was refused.
bool strip_the_refused(db::Session& session, Submission& submission, const char* reason, Time now) {
    auto& events = submission.events;
    const auto stripped = [reason](const auto& event) { return event.quarantine == reason; };
    if (std::all_of(events.begin(), events.end(), stripped)) return false;
    std::set<std::size_t> refused;
    if (std::none_of(events.begin(), events.end(), stripped)) {
        refused = find_unstorable(session, submission, now);
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (refused.empty() || refused.contains(i)) strip(events[i], reason);
    }
    return true;
}

std::vector<double> batch_buckets() {
    return {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
}

}  // namespace

Committer::Committer(CommitterOptions options, db::SessionOptions session, const Clock& clock,
                     Metrics& metrics)
    : options_(options),
      session_options_(std::move(session)),
      clock_(clock),
      batch_size_(
          metrics.histogram("pawl_commit_batch_size", "Deliveries in one commit.", batch_buckets())
              .alone()),
      queue_depth_(
          metrics.gauge("pawl_queue_depth", "Deliveries waiting for a committer.").alone()),
      db_up_(metrics.gauge("pawl_db_up", "1 while the last commit reached the database.").alone()) {
}

Committer::~Committer() {
    stop();
}

void Committer::start() {
    for (std::size_t i = 0; i < options_.committers; ++i) {
        threads_.emplace_back([this] {
            pthread_setname_np(pthread_self(), "committer");
            run();
        });
    }
    late_thread_ = std::thread([this] { give_up_on_the_late(); });
}

void Committer::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    late_wake_.notify_all();
    for (std::thread& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
    if (late_thread_.joinable()) late_thread_.join();
}

bool Committer::submit(Submission submission, OnAnswer on_answer) {
    auto waiting = std::make_shared<Waiting>();
    waiting->submission = std::move(submission);
    waiting->on_answer = std::move(on_answer);
    waiting->give_up_at = clock_.steady() + options_.answer_within;
    {
        const std::lock_guard lock(mutex_);
        // What was taken but not answered counts too: a database that hangs must not let the
        // number of open requests grow without bound.
        if (stopping_ || deadlines_.size() >= options_.queue_max) return false;
        queue_.push_back(waiting);
        deadlines_.push_back(std::move(waiting));
        queue_depth_.set(static_cast<double>(queue_.size()));
    }
    wake_.notify_one();
    return true;
}

Committer::Work Committer::take() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    Work work;
    // Counted by events: a thousand in one delivery need as many locks as a thousand deliveries.
    std::size_t events = 0;
    while (!queue_.empty() && events < options_.batch_max) {
        if (!queue_.front()->answered) {  // its sender has been told to come again
            events += queue_.front()->submission.events.size();
            work.push_back(std::move(queue_.front()));
        }
        queue_.pop_front();
    }
    queue_depth_.set(static_cast<double>(queue_.size()));
    return work;
}

void Committer::run() {
    db::SessionOptions session_options = session_options_;
    session_options.name = "committer";
    session_options.finds_by_key = true;
    db::Session session(std::move(session_options));
    for (;;) {
        const Work work = take();
        if (!work.empty()) {
            commit_or_split(session, work);
            continue;
        }
        const std::lock_guard lock(mutex_);
        if (stopping_ && queue_.empty()) return;
    }
}

void Committer::commit_or_split(db::Session& session, const Work& work) {
    bool split = false;
    if (try_commit(session, work, split) || !split) return;
    if (work.size() == 1) {
        try {
            quarantine(session, work.front(), "unstorable");
        } catch (const db::Failure& failure) {
            log::warn("a delivery could not be made durable", {{"why", failure.what()}});
            work.front()->answer(std::nullopt);
        }
        return;
    }
    const auto middle = work.begin() + static_cast<std::ptrdiff_t>(work.size() / 2);
    commit_or_split(session, Work(work.begin(), middle));
    commit_or_split(session, Work(middle, work.end()));
}

// True when every one of `work` has its answer. Otherwise `split` says whether smaller pieces may
// fare better.
bool Committer::try_commit(db::Session& session, const Work& work, bool& split) {
    for (int attempt = 1;; ++attempt) {
        try {
            // Who waits for what is looked at before locking once that turned out to matter.
            commit(session, work, attempt == 1 ? Look::after_locking : Look::before_locking);
            note_database(true);
            return true;
        } catch (const db::Failure& failure) {
            log::debug(
                "a batch did not commit",
                {{"events", work.size()}, {"sqlstate", failure.sqlstate}, {"why", failure.what()}});
            const bool collided = failure.kind == db::FailureKind::retry ||
                                  failure.kind == db::FailureKind::unique ||
                                  failure.kind == db::FailureKind::in_doubt;
            if (collided && attempt < attempts_max) continue;
            const bool smaller_helps = collided && work.size() > 1;
            split = smaller_helps || failure.kind == db::FailureKind::data;
            if (split) return false;
            note_database(false);
            log::warn("deliveries could not be made durable",
                      {{"events", work.size()}, {"why", failure.what()}});
        }
        for (const auto& waiting : work) waiting->answer(std::nullopt);
        return false;
    }
}

void Committer::commit(db::Session& session, const Work& work, Look look) {
    // For who has been told to come again nothing is begun. What becomes too late after this is
    // committed all the same: the redelivery finds it done. Thrown away, it would be done anew and
    // too late again, for as long as there is more to do than can be done in time.
    Batch batch;
    Work open;
    for (const auto& waiting : work) {
        if (waiting->answered) continue;
        batch.push_back(&waiting->submission);
        open.push_back(waiting);
    }
    if (batch.empty()) return;
    db::Transaction transaction(session);
    std::vector<Answer> answers = accept(transaction, batch, clock_.now(), look);
    transaction.commit();
    PAWL_FAULT_POINT(after_commit_before_reply);
    if (options_.on_commit) options_.on_commit();
    batch_size_.observe(static_cast<double>(open.size()));
    for (std::size_t i = 0; i < open.size(); ++i) open[i]->finish(std::move(answers[i]));
}

// The database refuses this very delivery, alone and for what is in it: those of its events that
// are refused are kept with what can be kept, and a person decides.
void Committer::quarantine(db::Session& session, const std::shared_ptr<Waiting>& one,
                           const char* reason) {
    auto bare = std::make_shared<Waiting>();
    bare->submission = one->submission;
    bare->on_answer = [one](std::optional<Answer> answer, const Submission&) {
        one->answer(std::move(answer));
    };
    if (!strip_the_refused(session, bare->submission, reason, clock_.now())) {
        one->answer(std::nullopt);
        return;
    }
    commit_or_split(session, {bare});
}

void Committer::note_database(bool up) {
    if (database_up_.exchange(up) != up) {
        log::info(up ? "the database is back" : "the database is out of reach");
    }
    db_up_.set(up ? 1 : 0);
}

void Committer::give_up_on_the_late() {
    pthread_setname_np(pthread_self(), "deadlines");
    constexpr std::chrono::milliseconds glance(50);
    std::unique_lock lock(mutex_);
    // All wait equally long, so the oldest is always the first.
    while (!stopping_ || !deadlines_.empty()) {
        while (!deadlines_.empty() && deadlines_.front()->answered) deadlines_.pop_front();
        if (!deadlines_.empty() && deadlines_.front()->give_up_at <= clock_.steady()) {
            const auto late = std::move(deadlines_.front());
            deadlines_.pop_front();
            lock.unlock();
            late->answer(std::nullopt);
            lock.lock();
            continue;
        }
        late_wake_.wait_for(lock, glance);
    }
}

}  // namespace pawl::intents
