#include "intents/commit/committer.hpp"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "base/fault.hpp"
#include "base/log.hpp"
#include "intents/accept/accept.hpp"
#include "intents/commit/locked.hpp"
#include "intents/commit/unstorable.hpp"

namespace pawl::intents {

namespace {

// Attempts to commit the same events before their senders get a 503. The second attempt resolves
// most collisions; a fifth failure has another cause.
constexpr int attempts_max = 5;
constexpr std::string_view lock_timeout_state = "55P03";
constexpr std::string_view statement_timeout_state = "57014";

void reduce_to_quarantined(providers::Event& event, const char* reason) {
    event.event_id = EventId("sha256:" + event.body_sha256);
    event.quarantine = reason;
    event.type.clear();
    event.object.clear();
    event.account.clear();
    event.movements.clear();
    event.sequence.reset();
}

// Reduces the refused events to quarantined ones; all events if the refused ones are not found, or
// if reducing some did not help. Returns false if every event was reduced already.
bool reduce_refused(db::Session& session, Submission& submission, const char* reason, Time now) {
    auto& events = submission.events;
    const auto stripped = [reason](const auto& event) { return event.quarantine == reason; };
    if (std::all_of(events.begin(), events.end(), stripped)) return false;
    std::set<std::size_t> refused;
    if (std::none_of(events.begin(), events.end(), stripped)) {
        refused = find_unstorable(session, submission, now);
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (refused.empty() || refused.contains(i)) reduce_to_quarantined(events[i], reason);
    }
    return true;
}

QueueLimits limits_of(const CommitterOptions& options) {
    QueueLimits limits;
    limits.batch_max = options.batch_max;
    limits.locks_max = options.locks_max;
    limits.batch_bytes = options.batch_bytes;
    limits.open_max = options.queue_max;
    limits.answer_within = options.answer_within;
    return limits;
}

std::vector<double> batch_buckets() {
    return {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
}

}  // namespace

Committer::Committer(CommitterOptions options, db::SessionOptions session, Timer& timer,
                     const Clock& clock, Metrics& metrics)
    : options_(options),
      session_options_(db::named(std::move(session), "committer")),
      timer_(timer),
      clock_(clock),
      batch_size_(
          metrics.histogram("pawl_commit_batch_size", "Deliveries in one commit.", batch_buckets())
              .alone()),
      db_up_(metrics.gauge("pawl_db_up", "1 while the last commit reached the database.").alone()),
      queue_(limits_of(options_), clock,
             metrics.gauge("pawl_queue_depth", "Deliveries waiting for a committer.").alone()) {}

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
    expire_overdue();
}

void Committer::expire_overdue() {
    const Steady next = queue_.expire_overdue();
    const std::lock_guard lock(late_mutex_);
    if (!stopped_) late_ = timer_.at(next, [this] { expire_overdue(); });
}

void Committer::stop() {
    queue_.stop();
    for (std::thread& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
    Timer::Deadline late;
    {
        const std::lock_guard lock(late_mutex_);
        stopped_ = true;
        late = std::move(late_);
    }
    late.cancel();  // without the lock, for which a call that is under way may wait
}

bool Committer::submit(Submission submission, OnAnswer on_answer) {
    return queue_.push(std::move(submission), std::move(on_answer));
}

void Committer::run() {
    db::Session session(session_options_);
    std::size_t committed = 0;
    while (!queue_.over()) {
        const CommitQueue::Taken taken = queue_.take(committed);
        committed = taken.work.size();
        if (!taken.work.empty()) commit_or_split(session, taken.work, Patience::full);
        if (!taken.deferred.empty()) retry_deferred(session, taken.deferred);
        keep_filters(session);
    }
}

// Runs after a batch and not before it, so that no response waits for a filter.
void Committer::keep_filters(db::Session& session) {
    if (options_.filters == nullptr || !session.connected()) return;
    try {
        options_.filters->keep_up(session, clock_.steady());
    } catch (const db::Failure& failure) {
        log::debug("a filter could not be loaded", {{"error", failure.what()}});
    }
}

void Committer::commit_or_split(db::Session& session, const Work& work, Patience patience) {
    switch (try_commit(session, work, patience)) {
        case Tried::answered:
            return;
        case Tried::too_much:
            return commit_halves(session, work, patience);
        case Tried::locked:
            return commit_unblocked(session, work);
        case Tried::malformed:
            break;
    }
    try {
        quarantine(session, work.front(), "unstorable");
    } catch (const db::Failure& failure) {
        log::warn("a delivery could not be made durable", {{"error", failure.what()}});
        work.front()->answer(std::nullopt);
    }
}

void Committer::commit_halves(db::Session& session, const Work& work, Patience patience) {
    const auto middle = work.begin() + static_cast<std::ptrdiff_t>(work.size() / 2);
    commit_or_split(session, Work(work.begin(), middle), patience);
    commit_or_split(session, Work(middle, work.end()), patience);
}

// The lock wait used most of the deadline. The lock holders are queried, and the blocked
// deliveries are deferred; if no holder is found, the batch is bisected with a short lock_timeout
// of 100 ms.
void Committer::commit_unblocked(db::Session& session, const Work& work) {
    const Work free = defer_blocked(session, work);
    if (free.empty()) return;
    if (free.size() < work.size()) return commit_or_split(session, free, Patience::full);
    if (work.size() > 1) return commit_halves(session, work, Patience::little);
    if (try_commit(session, work, Patience::little) == Tried::answered) return;
    note_database(false);
    log::warn("a delivery waited for a lock without a visible holder");
    work.front()->answer(std::nullopt);
}

// Defers the deliveries whose locks another session holds. Returns the others.
Work Committer::defer_blocked(db::Session& session, const Work& work) {
    Work open, locked, free;
    Batch batch;
    for (const auto& waiting : work) {
        const bool late = waiting->give_up_at <= clock_.steady();
        if (late) waiting->answer(std::nullopt);
        if (late || waiting->answered) continue;
        open.push_back(waiting);
        batch.push_back(&waiting->submission);
    }
    Locks locks;
    try {
        if (!open.empty()) locks = probe_locks(session, batch);
    } catch (const db::Failure& failure) {
        log::debug("the lock holders could not be queried", {{"error", failure.what()}});
    }
    queue_.note_locks(locks.asked, locks.held);
    for (const auto& waiting : open) {
        const auto needs = required_locks(waiting->submission);
        const bool stuck = std::any_of(needs.begin(), needs.end(), [&locks](std::int64_t lock) {
            return locks.held.contains(lock);
        });
        (stuck ? locked : free).push_back(waiting);
    }
    queue_.defer(locked);
    return free;
}

void Committer::retry_deferred(db::Session& session, const Work& deferred) {
    queue_.requeue(defer_blocked(session, deferred));
}

Committer::Tried Committer::try_commit(db::Session& session, const Work& work, Patience patience) {
    bool replaced = false;  // the session's connection, once
    for (int attempt = 1;; ++attempt) {
        try {
            // A retry reads the dependents before it locks: they may have caused the failure.
            const LockScope scope =
                attempt == 1 ? LockScope::batch : LockScope::batch_and_dependents;
            if (commit(session, work, scope, patience)) note_database(true);
            return Tried::answered;
        } catch (const db::Failure& failure) {
            posted_shapes_.clear();
            log::debug("a batch did not commit", {{"events", work.size()},
                                                  {"sqlstate", failure.sqlstate},
                                                  {"error", failure.what()}});
            if (failure.sqlstate == lock_timeout_state) return Tried::locked;
            const bool collided = failure.kind == db::FailureKind::retry ||
                                  failure.kind == db::FailureKind::unique ||
                                  failure.kind == db::FailureKind::in_doubt;
            if (collided && attempt < attempts_max) continue;
            // After a restart of PostgreSQL, say: the batch is uncommitted, and a retry may pass.
            if (failure.connection_lost && !std::exchange(replaced, true)) continue;
            const bool refused = failure.kind == db::FailureKind::data;
            const bool too_slow = failure.sqlstate == statement_timeout_state;
            if (work.size() > 1 && (collided || refused || too_slow)) return Tried::too_much;
            if (refused) return Tried::malformed;
            return give_up(work, failure);
        }
    }
}

Committer::Tried Committer::give_up(const Work& work, const db::Failure& failure) {
    note_database(false);
    log::warn("deliveries could not be made durable",
              {{"events", work.size()}, {"error", failure.what()}});
    for (const auto& waiting : work) waiting->answer(std::nullopt);
    return Tried::answered;
}

// Returns false if every delivery was answered already.
bool Committer::commit(db::Session& session, const Work& work, LockScope scope, Patience patience) {
    // A delivery that was answered with 503 is skipped. If it becomes late after this point, it
    // is committed even so: its redelivery is then a duplicate. A rollback would repeat the work,
    // again too late, for as long as the overload lasts.
    Batch batch;
    Work open;
    for (const auto& waiting : work) {
        if (waiting->answered) continue;
        batch.push_back(&waiting->submission);
        open.push_back(waiting);
    }
    if (batch.empty()) return false;
    const auto known =
        options_.filters ? options_.filters->known() : std::make_shared<const KnownSegments>();
    db::Transaction transaction(session);
    if (patience == Patience::little) transaction.run_script("SET LOCAL lock_timeout = '100ms'");
    ShapeRecord shapes{&posted_shapes_, {}};
    std::vector<DeliveryResult> answers =
        accept(transaction, batch, clock_.now(), scope, *known, &shapes);
    transaction.commit();
    PAWL_FAULT_POINT(after_commit_before_reply);
    if (options_.on_commit) options_.on_commit();
    batch_size_.observe(static_cast<double>(open.size()));
    for (std::size_t i = 0; i < open.size(); ++i) open[i]->finish(std::move(answers[i]));
    if (!shapes.recorded.empty()) posted_shapes_.add(shapes.recorded);
    return true;
}

// Handles a delivery whose data the database refuses: the refused events are stored reduced, with
// the reason, for an operator.
void Committer::quarantine(db::Session& session, const std::shared_ptr<PendingDelivery>& one,
                           const char* reason) {
    auto bare = std::make_shared<PendingDelivery>();
    bare->submission = one->submission;
    bare->give_up_at = one->give_up_at;
    bare->on_answer = [one](std::optional<DeliveryResult> answer, const Submission&) {
        one->answer(std::move(answer));
    };
    if (!reduce_refused(session, bare->submission, reason, clock_.now())) {
        one->answer(std::nullopt);
        return;
    }
    commit_or_split(session, {bare}, Patience::full);
}

void Committer::note_database(bool up) {
    if (database_up_.exchange(up) != up) {
        log::info(up ? "the database became available" : "the database became unavailable");
    }
    db_up_.set(up ? 1 : 0);
}

}  // namespace pawl::intents
