// The part of Judge for movements that happen more than once: a refund succeeds, bounces, and
// succeeds again; a dispute withdraws, reinstates and withdraws. Each movement is posted once, a
// redelivery of its report never.
#include <algorithm>
#include <iterator>

#include "base/keys.hpp"
#include "ledger/judge.hpp"
#include "ledger/returns.hpp"

namespace pawl::ledger {
namespace {

EffectKey without_number(const EffectKey& key) {
    return EffectKey(key.str().substr(0, key.str().find('#')));
}

std::int64_t sum_of(const std::vector<const Transfer*>& transfers) {
    std::int64_t sum = 0;
    for (const Transfer* one : transfers) {
        if (__builtin_add_overflow(sum, one->amount.minor, &sum)) return INT64_MAX;
    }
    return sum;
}

// Returns when the movement happened, by the provider's clock. A posting after a call of Pawl has
// no event: it happened when it was posted.
std::optional<Time> time_of(const Transfer& posted) {
    const bool by_call = posted.event_id.empty();
    if (!posted.occurred_at && by_call) return posted.posted_at;
    return posted.occurred_at;
}

// The transfers of one movement and of its returns, and the reports of them.
class History {
  public:
    History(const EffectKey& key, const Book& book)
        : moved_(book.repetitions_of(key)), returned_(book.returns_of(key)) {
        for (const Transfer* one : moved_) add(*one, false);
        for (const Transfer* one : returned_) {
            add(*one, true);
            add(book.reports_of(one->effect_key), true, Mark::By::report);
        }
        add(book.reports_of(key), false, Mark::By::report);
        add(book.awaited_returns_of(key), true, Mark::By::waiting);
    }

    bool has_return() const {
        return !returned_.empty() || std::any_of(marks_.begin(), marks_.end(),
                                                 [](const Mark& one) { return one.is_return; });
    }
    bool has_all_times() const { return has_all_times_; }
    // Returns the amount that was moved and has not been returned.
    std::int64_t outstanding() const { return sum_of(moved_) - sum_of(returned_); }
    const Transfer* first_movement() const { return moved_.empty() ? nullptr : moved_.front(); }
    const Transfer* first_return() const { return returned_.empty() ? nullptr : returned_.front(); }

    Rounds rounds_with(Time at, bool is_return) const {
        std::vector<Mark> marks = marks_;
        marks.push_back({at, is_return, Mark::By::mine});
        return rounds_of(std::move(marks));
    }

  private:
    void add(const Transfer& posted, bool is_return) {
        const std::optional<Time> at = time_of(posted);
        if (at) marks_.push_back({*at, is_return, Mark::By::posted});
        has_all_times_ = has_all_times_ && at.has_value();
    }
    void add(const std::set<Time>& times, bool is_return, Mark::By by) {
        for (const Time at : times) marks_.push_back({at, is_return, by});
    }

    std::vector<const Transfer*> moved_;
    std::vector<const Transfer*> returned_;
    std::vector<Mark> marks_;
    bool has_all_times_ = true;  // of the transfers; a report without a time is not recorded
};

// A second report of a posted movement: its time may separate two movements later.
AlreadyPosted reported_again(const EffectKey& key, const std::optional<Time>& at,
                             const Transfer& posted) {
    AlreadyPosted twin{key, {}};
    if (at && posted.occurred_at != at) twin.reports.push_back({key, *at});
    return twin;
}

}  // namespace

// A debit whose key is posted is not a duplicate if the provider has returned it since.
Judge::Verdict Judge::moved_again(const Movement& movement, const Transfer& posted) {
    const EffectKey& key = movement.effect_key;
    const AlreadyPosted twin = reported_again(key, entry_.occurred_at, posted);
    const History history(key, book_);
    if (!history.has_return()) return twin;
    const auto post_next = [&] {
        return step(movement, book_.holding_account(posted), free_key(key));
    };
    if (!entry_.occurred_at || !history.has_all_times()) {
        if (history.outstanding() > 0) return twin;
        if (overrides_.check != "effect_returned") return Quarantine{"effect_returned"};
        return post_next();
    }
    const Rounds rounds = history.rounds_with(*entry_.occurred_at, false);
    if (!rounds.needs_posting) return twin;
    return with_proven(post_next(), history.first_return(), rounds.its_return);
}

// The return of a movement (`unmet = "ignore"`), by an event that may have had nothing to return.
Judge::Verdict Judge::returned(const Movement& movement, const AccountId& account) {
    const EffectKey& key = movement.effect_key;
    const EffectKey& need = entry_.needs.front();
    const Transfer* posted = book_.find(key);
    if (posted != nullptr && !same(movement, account, *posted)) {
        return posted_already(movement, account, *posted);
    }
    const History history(need, book_);
    if (!entry_.occurred_at || !history.has_all_times()) {
        if (posted == nullptr) return step(movement, account, key);
        if (history.outstanding() <= 0) return AlreadyPosted{key, {}};
        if (overrides_.check != "effect_returned") return Quarantine{"effect_returned"};
        return step(movement, account, free_key(key));
    }
    const Rounds rounds = history.rounds_with(*entry_.occurred_at, true);
    if (rounds.returns_nothing && !overrides_.skip_needs) return Ignore{nothing_to_return, need};
    if (posted != nullptr && !rounds.needs_posting) {
        return reported_again(key, entry_.occurred_at, *posted);
    }
    Verdict verdict = step(movement, account, posted == nullptr ? key : free_key(key));
    return with_proven(std::move(verdict), history.first_movement(), rounds.movement);
}

// The report may prove that an earlier one, taken for a redelivery, was a movement of its own, like
// `like` and reported at `at`. Both are posted, or neither: this one's step is added to the entry,
// and that of the other is returned.
Judge::Verdict Judge::with_proven(Verdict verdict, const Transfer* like,
                                  const std::optional<Time>& at) {
    if (like == nullptr || !at || !std::holds_alternative<Step>(verdict)) return verdict;
    post_.steps.push_back(std::get<Step>(std::move(verdict)));
    return post_reported(*like, *at);
}

Judge::Verdict Judge::post_reported(const Transfer& first, Time at) {
    Step step{free_key(without_number(first.effect_key)), book_.holding_account(first),
              first.amount.currency};
    step.payment_key = first.payment_key;
    step.returns = first.returns;
    step.occurred_at = at;
    return move(std::move(step), first.is_debit() ? -first.amount.minor : first.amount.minor,
                false);
}

}  // namespace pawl::ledger
