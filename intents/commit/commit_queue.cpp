#include "intents/commit/commit_queue.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/keys.hpp"
#include "intents/commit/locked.hpp"

namespace pawl::intents {
namespace {

// Interval of the checks whether a lock is free. A check does not wait, and costs a round trip.
constexpr std::chrono::milliseconds look_every(100);
// Cleared beyond this size: the next checks find the locks that are still held.
constexpr std::size_t locked_max = 10'000;

}  // namespace

std::size_t lock_count(const Submission& submission) {
    std::size_t locks = 0;
    for (const providers::Event& event : submission.events) {
        locks += event.sequence ? 2 : 1;  // the event, and its place in the sequence
        locks += event.needs.size() + 2 * event.formerly.size();
        for (const providers::Movement& movement : event.movements) {
            const EffectKey& key = movement.effect_key;
            locks += is_stem(key) ? 1 : needs_met_by(key).size();
        }
    }
    return locks;
}

OnAnswer PendingDelivery::claim_answer() {
    if (answered.exchange(true)) return {};
    if (open != nullptr) open->fetch_sub(1);
    return std::exchange(on_answer, {});
}

void PendingDelivery::answer(std::optional<DeliveryResult> result) {
    if (const OnAnswer tell = claim_answer()) tell(std::move(result), {});
}

void PendingDelivery::finish(DeliveryResult result) {
    if (const OnAnswer tell = claim_answer()) tell(std::move(result), std::move(submission));
}

bool CommitQueue::push(Submission submission, OnAnswer on_answer) {
    auto waiting = std::make_shared<PendingDelivery>();
    waiting->submission = std::move(submission);
    waiting->on_answer = std::move(on_answer);
    waiting->give_up_at = clock_.steady() + limits_.answer_within;
    waiting->open = &open_;
    // Two are dropped for each one added, so that answered deliveries leave before their deadline.
    std::array<std::shared_ptr<PendingDelivery>, 2> over;  // go without the lock
    bool enough = false;
    {
        const std::lock_guard lock(mutex_);
        if (stopping_ || open_ >= limits_.open_max) return false;
        ++open_;
        queue_.push_back(waiting);
        deadlines_.push_back(std::move(waiting));
        depth_.set(static_cast<double>(queue_.size()));
        enough = queue_.size() >= wanted_;
        for (auto& one : over) {
            if (!deadlines_.front()->answered) break;
            one = std::move(deadlines_.front());
            deadlines_.pop_front();
        }
    }
    if (enough) wake_.notify_one();
    return true;
}

void CommitQueue::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
}

bool CommitQueue::over() const {
    const std::lock_guard lock(mutex_);
    return stopping_ && queue_.empty() && deferred_.empty();
}

void CommitQueue::wait_for_work(std::unique_lock<std::mutex>& lock) {
    while (queue_.empty() && !(stopping_ && deferred_.empty())) {
        if (deferred_.empty()) {
            wake_.wait(lock);
        } else if (clock_.steady() >= look_at_ ||
                   wake_.wait_for(lock, look_every) == std::cv_status::timeout) {
            return;
        }
    }
}

// While another batch is being committed, one that is smaller waits for more: until it is as large,
// the other has ended, or its time is over. A delivery that finds every committer idle never waits.
void CommitQueue::gather(std::unique_lock<std::mutex>& lock) {
    const auto enough = [this] {
        return committing_ == 0 || queue_.size() >= committing_ || queue_.empty() || stopping_;
    };
    if (enough()) return;
    wanted_ = committing_;
    wake_.wait_for(lock, limits_.gather_max, enough);
    wanted_ = 1;
}

CommitQueue::Taken CommitQueue::take(std::size_t committed) {
    std::unique_lock lock(mutex_);
    committing_ -= committed;
    if (committed > 0 && committing_ == 0 && wanted_ > 1) wake_.notify_all();
    wait_for_work(lock);
    gather(lock);
    Taken taken;
    if (!deferred_.empty() && clock_.steady() >= look_at_) {
        look_at_ = clock_.steady() + look_every;
        taken.deferred.swap(deferred_);
        for (const auto& waiting : taken.deferred) waiting->taken = true;
        return taken;
    }
    std::size_t events = 0;
    std::size_t bytes = 0;
    std::size_t locks = 0;
    while (!queue_.empty() && events < limits_.batch_max && bytes < limits_.batch_bytes) {
        const std::size_t more = lock_count(queue_.front()->submission);
        if (!taken.work.empty() && locks + more > limits_.locks_max) break;
        const auto next = std::move(queue_.front());
        queue_.pop_front();
        if (next->answered) continue;  // its sender got a 503 and will redeliver
        if (must_wait(next->submission)) {
            deferred_.push_back(next);
            continue;
        }
        locks += more;
        events += next->submission.events.size();
        bytes += next->submission.delivery.body.size();
        next->taken = true;
        taken.work.push_back(next);
    }
    committing_ += taken.work.size();
    depth_.set(static_cast<double>(queue_.size()));
    return taken;
}

bool CommitQueue::must_wait(const Submission& submission) const {
    if (locked_.empty()) return false;
    const auto locks = required_locks(submission);
    return std::any_of(locks.begin(), locks.end(),
                       [this](std::int64_t lock) { return locked_.contains(lock); });
}

void CommitQueue::note_locks(const std::set<std::int64_t>& asked,
                             const std::set<std::int64_t>& held) {
    const std::lock_guard lock(mutex_);
    if (locked_.size() > locked_max) locked_.clear();
    for (const std::int64_t one : asked) locked_.erase(one);
    locked_.insert(held.begin(), held.end());
}

void CommitQueue::defer(const Work& work) {
    {
        const std::lock_guard lock(mutex_);
        if (deferred_.empty()) look_at_ = clock_.steady() + look_every;
        for (const auto& waiting : work) {
            waiting->taken = false;
            deferred_.push_back(waiting);
        }
    }
    wake_.notify_one();
}

void CommitQueue::requeue(const Work& work) {
    {
        const std::lock_guard lock(mutex_);
        for (const auto& waiting : work) waiting->taken = false;
        queue_.insert(queue_.begin(), work.begin(), work.end());
    }
    wake_.notify_one();
}

// In both queues the oldest come first: an answered delivery is freed once no older one is open.
void CommitQueue::drop_answered() {
    for (auto* line : {&queue_, &deadlines_}) {
        while (!line->empty() && line->front()->answered) line->pop_front();
    }
}

Steady CommitQueue::expire_overdue() {
    std::unique_lock lock(mutex_);
    for (;;) {
        drop_answered();
        const Steady now = clock_.steady();
        // All have the same time limit, so the oldest expires first.
        if (deadlines_.empty()) return now + limits_.answer_within;
        if (deadlines_.front()->give_up_at > now) return deadlines_.front()->give_up_at;
        const auto late = std::move(deadlines_.front());
        deadlines_.pop_front();
        const OnAnswer tell = late->claim_answer();
        // Its bytes go at once, unless a committer is reading them.
        Submission unused = late->taken ? Submission() : std::move(late->submission);
        lock.unlock();
        if (tell) tell(std::nullopt, std::move(unused));
        lock.lock();
    }
}

}  // namespace pawl::intents
