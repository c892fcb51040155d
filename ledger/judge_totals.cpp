// The part of Judge for movements whose provider reports a running total: the ledger posts by how
// much the total has grown since the last accepted one.
#include <algorithm>

#include "base/keys.hpp"
#include "ledger/judge.hpp"

namespace pawl::ledger {

// Compares with the last accepted total first: the key alone would take a total that is reached
// again after a fall for a duplicate.
Judge::Verdict Judge::total(const Movement& movement, const AccountId& account) {
    const EffectKey& key = movement.effect_key;
    const Total* known = book_.total(key);
    if (known != nullptr) return next_total(movement, account, *known);
    const std::int64_t now = movement.amount.minor;
    if (now == 0) return Nothing{};
    return post_growth(movement, account, unused_total_key(key, now), now);
}

Judge::Verdict Judge::next_total(const Movement& movement, const AccountId& account,
                                 const Total& known) {
    const EffectKey& key = movement.effect_key;
    const std::int64_t now = movement.amount.minor;
    if (!matches_known_total(movement, known)) return Quarantine{"effect_conflict"};
    // An operator's override posts to the payment's holder, whichever account the event names.
    const AccountId& holder = follow(key, known.account);
    const bool same_account = movement.account.empty() || holder == account;
    if (!same_account && overrides_.check.empty()) return Quarantine{"effect_conflict"};
    const AccountId& to = same_account ? account : holder;
    if (now == known.total.minor) {
        confirm(key, known);
        return AlreadyPosted{last_repetition(total_key(key, now)), {}};
    }
    if (now < known.total.minor) return judge_lower_total(movement, to, known);
    if (precedes_a_fall(movement)) return Stale{};
    std::int64_t growth = 0;
    if (__builtin_sub_overflow(now, known.total.minor, &growth)) {
        return Quarantine{"balance_overflow"};
    }
    return post_growth(movement, to, unused_total_key(key, now), growth);
}

// One currency and one side: all credits, or all debits.
bool Judge::matches_known_total(const Movement& movement, const Total& known) const {
    const Transfer* first = book_.met_by(movement.effect_key);
    const bool same_side = first == nullptr || first->is_debit() == (movement.kind == Kind::debit);
    return same_side && known.total.currency == movement.amount.currency;
}

// The same total, reported with a higher sequence number: a lower total with a number between the
// two is then stale.
void Judge::confirm(const EffectKey& key, const Total& known) {
    const auto& number = entry_.ordering.number;
    if (!number || (known.last_sequence && *number <= *known.last_sequence)) return;
    post_.confirmed.push_back({key, *number});
}

// An operator has posted a lower total, and later totals continue from there: one with a lower
// number than that is superseded, even if it is higher.
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

// A total below the last accepted one: an older report if its number says so, else a decision for
// an operator.
Judge::Verdict Judge::judge_lower_total(const Movement& movement, const AccountId& account,
                                        const Total& known) {
    const auto& number = entry_.ordering.number;
    if (!number || !known.last_sequence) return Stale{total_fell};
    if (*number < *known.last_sequence) return Stale{};
    if (overrides_.check != total_fell) return Quarantine{total_fell};
    const std::int64_t now = movement.amount.minor;
    return post_growth(movement, account, free_key(total_key(movement.effect_key, now)),
                       now - known.total.minor);
}

// `growth` is negative if an operator posts a lower total.
Judge::Verdict Judge::post_growth(const Movement& movement, const AccountId& account,
                                  const EffectKey& key, std::int64_t growth) {
    if (!fits_shape(key) || book_.taken_by_other_key(key)) return Quarantine{"effect_conflict"};
    if (auto stop = stopped(movement)) return std::move(*stop);
    Step step{key, account, movement.amount.currency};
    step.payment_key = payment_key_of(key);
    step.occurred_at = entry_.occurred_at;
    step.total_of = movement.effect_key;
    step.total = Total{account, movement.amount, entry_.ordering.number, true};
    return move(std::move(step), movement.kind == Kind::debit ? -growth : growth, false);
}

// Returns the key of this total, with "#" and a number if it was reached before a fall.
EffectKey Judge::unused_total_key(const EffectKey& key, std::int64_t total) const {
    const EffectKey whole = total_key(key, total);
    return taken(whole) ? free_key(whole) : whole;
}

EffectKey Judge::last_repetition(const EffectKey& key) const {
    const auto all = book_.repetitions_of(key);
    return all.empty() ? key : all.back()->effect_key;
}

}  // namespace pawl::ledger
