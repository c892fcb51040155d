// The second part of Judge: running totals, and movements that happen again.
#include <algorithm>
#include <iterator>

#include "base/keys.hpp"
#include "ledger/judge.hpp"
#include "ledger/returns.hpp"

namespace pawl::ledger {
namespace {

// The transfers of a movement: under its key, and under that with "#" and a number.
std::vector<const Transfer*> repetitions_of(const EffectKey& key, const Book& book) {
    std::vector<const Transfer*> all;
    if (const Transfer* first = book.posted(key)) all.push_back(first);
    const std::string repeated = key.str() + '#';
    for (const Transfer* one : book.below(stem_of(key))) {
        if (one->effect_key.str().starts_with(repeated)) all.push_back(one);
    }
    return all;
}

EffectKey without_repetition(const EffectKey& key) {
    return EffectKey(key.str().substr(0, key.str().find('#')));
}

std::int64_t sum_of(const std::vector<const Transfer*>& transfers) {
    std::int64_t sum = 0;
    for (const Transfer* one : transfers) {
        if (__builtin_add_overflow(sum, one->amount.minor, &sum)) return INT64_MAX;
    }
    return sum;
}

// A movement by a call of Pawl happened when it was posted.
std::optional<Time> time_of(const Transfer& posted) {
    const bool ours = posted.event_id.empty();
    return posted.occurred_at || !ours ? posted.occurred_at : std::optional(posted.posted_at);
}

// Everything that is known of a movement and of its returns.
struct History {
    std::vector<const Transfer*> moved, returned;
    std::vector<Mark> marks;
    bool timed = true;  // each has a time

    History(const EffectKey& key, const Book& book)
        : moved(repetitions_of(key, book)), returned(book.returns_of(key)) {
        add(moved, false, book);
        add(returned, true, book);
        add(book.reports_of(key), false, Mark::By::report);
        add(book.awaited_returns_of(key), true, Mark::By::waiting);
    }
    void add(const std::vector<const Transfer*>& transfers, bool is_return, const Book& book) {
        for (const Transfer* one : transfers) {
            const std::optional<Time> at = time_of(*one);
            timed = timed && at;
            if (at) marks.push_back({*at, is_return});
            if (is_return) add(book.reports_of(one->effect_key), true, Mark::By::report);
        }
    }
    void add(const std::set<Time>& times, bool is_return, Mark::By by) {
        for (const Time at : times) marks.push_back({at, is_return, by});
    }
    bool is_returned() const {
        return std::any_of(marks.begin(), marks.end(),
                           [](const Mark& mark) { return mark.is_return; }) ||
               !returned.empty();
    }
    std::int64_t outstanding() const { return sum_of(moved) - sum_of(returned); }
};

std::vector<Report> report_of(const EffectKey& key, const std::optional<Time>& at,
                              const Transfer& posted) {
    if (!at || posted.occurred_at == at) return {};
    return {{key, *at}};
}

}  // namespace

// A debit whose key is posted is not a duplicate if the provider has returned it since.
Judge::Verdict Judge::again(const Movement& movement, const Transfer& posted) {
    const EffectKey& key = movement.effect_key;
    History history(key, book_);
    const AlreadyPosted twin{key, report_of(key, entry_.occurred_at, posted)};
    if (!history.is_returned()) return twin;
    if (!entry_.occurred_at || !history.timed) {
        if (history.outstanding() > 0) return twin;
        if (overrides_.check != "effect_returned") return Quarantine{"effect_returned"};
        return step(movement, book_.holding_account(posted), free_key(key));
    }
    history.marks.push_back({*entry_.occurred_at, false, Mark::By::mine});
    const Rounds rounds = rounds_of(history.marks);
    if (!rounds.mine_is_new) return twin;
    Verdict anew = step(movement, book_.holding_account(posted), free_key(key));
    if (!rounds.its_return || !std::holds_alternative<Step>(anew)) return anew;
    post_.steps.push_back(std::get<Step>(std::move(anew)));
    return repeated(*history.returned.front(), *rounds.its_return);
}

// The return of a movement, by an event that may have had nothing to return.
Judge::Verdict Judge::returned(const Movement& movement, const AccountId& account) {
    const EffectKey& key = movement.effect_key;
    const EffectKey& need = entry_.needs.front();
    const Transfer* posted = book_.posted(key);
    if (posted != nullptr && !same(movement, account, *posted)) {
        return posted_already(movement, account, *posted);
    }
    History history(need, book_);
    if (!entry_.occurred_at || !history.timed) {
        if (posted == nullptr) return step(movement, account, key);
        if (history.outstanding() <= 0) return AlreadyPosted{key, {}};
        if (overrides_.check != "effect_returned") return Quarantine{"effect_returned"};
        return step(movement, account, free_key(key));
    }
    history.marks.push_back({*entry_.occurred_at, true, Mark::By::mine});
    const Rounds rounds = rounds_of(history.marks);
    if (rounds.mine_has_nothing && !overrides_.skip_needs) return Ignore{nothing_to_return, need};
    if (posted != nullptr && !rounds.mine_is_new) {
        return AlreadyPosted{key, report_of(key, entry_.occurred_at, *posted)};
    }
    Verdict back = step(movement, account, posted == nullptr ? key : free_key(key));
    if (!rounds.movement || !std::holds_alternative<Step>(back)) return back;
    post_.steps.push_back(std::get<Step>(std::move(back)));
    return repeated(*history.moved.front(), *rounds.movement);
}

// A movement that was reported before it could be known to be another one.
Judge::Verdict Judge::repeated(const Transfer& first, Time at) {
    Step step{free_key(without_repetition(first.effect_key)), book_.holding_account(first),
              first.amount.currency};
    step.payment_key = first.payment_key;
    step.returns = first.returns;
    step.occurred_at = at;
    return move(std::move(step), first.is_debit() ? -first.amount.minor : first.amount.minor,
                false);
}

// The last accepted figure decides before the key does.
Judge::Verdict Judge::total(const Movement& movement, const AccountId& account) {
    const EffectKey& key = movement.effect_key;
    const std::int64_t now = movement.amount.minor;
    const Total* known = book_.total(key);
    if (known == nullptr && now == 0) return Nothing{};
    if (known != nullptr) {
        const AccountId& holder = follow(key, known->account);
        const bool same_account = movement.account.empty() || holder == account;
        const Transfer* first = book_.met_by(key);
        const bool debit = movement.kind == Kind::debit;
        const bool same_side = first == nullptr || first->is_debit() == debit;
        if (known->total.currency != movement.amount.currency || !same_side) {
            return Quarantine{"effect_conflict"};
        }
        if (!same_account) {
            if (overrides_.check.empty()) return Quarantine{"effect_conflict"};
            Movement of_holder = movement;
            of_holder.account = holder;
            return total(of_holder, holder);
        }
        if (now == known->total.minor) {
            confirm(key, *known);
            return AlreadyPosted{last_of(total_key(key, now)), {}};
        }
        if (now < known->total.minor) return fallen(movement, account, *known);
        if (precedes_a_fall(movement)) return Stale{};
    }
    std::int64_t part = now;
    if (known != nullptr && __builtin_sub_overflow(now, known->total.minor, &part)) {
        return Quarantine{"balance_overflow"};
    }
    const EffectKey whole = total_key(key, now);
    return part_of_total(movement, account, taken(whole) ? free_key(whole) : whole, part);
}

// The same figure is then as new as its newest report: a lower one from before that is stale.
void Judge::confirm(const EffectKey& key, const Total& known) {
    const auto& number = entry_.ordering.number;
    if (!number || (known.last_sequence && *number <= *known.last_sequence)) return;
    post_.confirmed.push_back({key, *number});
}

// An operator has posted a fall, and the figures continue from there: one from before it is
// superseded, also where it is higher.
bool Judge::precedes_a_fall(const Movement& movement) const {
    const auto& number = entry_.ordering.number;
    if (!number) return false;
    const std::string totals = movement.effect_key.str() + '@';
    const auto& posted = book_.below(stem_of(movement.effect_key));
    return std::any_of(posted.begin(), posted.end(), [&](const Transfer* one) {
        const bool fell = one->is_debit() != (movement.kind == Kind::debit);
        return fell && one->effect_key.str().starts_with(totals) && one->sequence &&
               *number < *one->sequence;
    });
}

Judge::Verdict Judge::fallen(const Movement& movement, const AccountId& account,
                             const Total& known) {
    const auto& number = entry_.ordering.number;
    if (!number || !known.last_sequence) return Stale{total_fell};
    if (*number < *known.last_sequence) return Stale{};
    if (overrides_.check != total_fell) return Quarantine{total_fell};
    const EffectKey key = free_key(total_key(movement.effect_key, movement.amount.minor));
    return part_of_total(movement, account, key, movement.amount.minor - known.total.minor);
}

// `part`: by how much the total has grown; below zero where an operator posts its fall.
Judge::Verdict Judge::part_of_total(const Movement& movement, const AccountId& account,
                                    const EffectKey& key, std::int64_t part) {
    if (!fits_shape(key) || book_.taken_by_other_key(key)) return Quarantine{"effect_conflict"};
    if (auto stop = stopped(movement)) return std::move(*stop);
    Step step{key, account, movement.amount.currency};
    step.payment_key = payment_key_of(key);
    step.occurred_at = entry_.occurred_at;
    step.total_of = movement.effect_key;
    step.total = Total{account, movement.amount, entry_.ordering.number, true};
    return move(std::move(step), movement.kind == Kind::debit ? -part : part, false);
}

EffectKey Judge::last_of(const EffectKey& key) const {
    const auto all = repetitions_of(key, book_);
    return all.empty() ? key : all.back()->effect_key;
}

}  // namespace pawl::ledger
