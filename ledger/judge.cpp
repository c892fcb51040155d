#include "ledger/judge.hpp"

#include <algorithm>

#include "base/keys.hpp"

namespace pawl::ledger {
namespace {

// Fees and payouts have a currency of their own, whatever was captured.
bool is_of_the_system(const AccountId& account) {
    return account.str().starts_with("fees:") || account.str().starts_with("bank:");
}

}  // namespace

Judge::Judge(const Entry& entry, Book& book, const OperatorOverride& overrides, bool passed)
    : entry_(entry), book_(book), overrides_(overrides), passed_(passed) {
    find_need();
}

void Judge::find_need() {
    for (const EffectKey& need : entry_.needs) {
        const Transfer* met = book_.met_by(need);
        if (met == nullptr && !unmet_) unmet_ = need;
        if (met != nullptr && &need == &entry_.needs.front()) need_ = met;
    }
}

Decision Judge::all() {
    std::optional<AlreadyPosted> twin;
    std::optional<Decision> waits, stale;
    for (const Movement& movement : entry_.movements) {
        Verdict verdict = judge(movement);
        if (auto* why = std::get_if<Quarantine>(&verdict)) return std::move(*why);
        if (auto* park = std::get_if<Park>(&verdict)) waits = std::move(*park);
        if (auto* ignore = std::get_if<Ignore>(&verdict)) waits = std::move(*ignore);
        if (auto* old = std::get_if<Stale>(&verdict)) stale = std::move(*old);
        if (auto* step = std::get_if<Step>(&verdict)) post_.steps.push_back(std::move(*step));
        if (auto* known = std::get_if<AlreadyPosted>(&verdict)) {
            for (Report& report : known->reports) post_.reports.push_back(std::move(report));
            if (!twin) twin = std::move(*known);
        }
    }
    if (waits) return std::move(*waits);
    if (!post_.steps.empty()) return std::move(post_);
    if (twin) {
        return AlreadyPosted{std::move(twin->twin), std::move(post_.reports),
                             std::move(post_.confirmed)};
    }
    if (stale) return std::move(*stale);
    return Ignore{"zero_amount"};
}

Judge::Verdict Judge::judge(const Movement& movement) {
    const bool by_need = movement.account.empty() && !entry_.needs.empty();
    static const AccountId unknown;
    const AccountId& named = follow(movement.effect_key, movement.account);
    const AccountId& account =
        !by_need ? named : (need_ == nullptr ? unknown : book_.holding_account(*need_));
    if (auto problem = unusable(movement, account)) return *problem;
    if (movement.amount.minor != 0 && may_be_imported(movement)) {
        return as_not_imported(movement, account);
    }
    // It posts nothing and claims no key, so that it neither waits nor conflicts.
    const bool absolute = movement.kind == Kind::set_balance;
    if (movement.amount_is == AmountIs::total) return total(movement, account);
    if (!absolute && movement.amount.minor == 0) return Nothing{};
    const bool returns = entry_.unmet == Unmet::ignore && movement.kind == Kind::credit &&
                         need_ != nullptr && need_->is_debit();
    if (returns && need_->amount == movement.amount) return returned(movement, account);
    if (const Transfer* posted = book_.find(movement.effect_key)) {
        return posted_already(movement, account, *posted);
    }
    return step(movement, account, movement.effect_key);
}

// An import states the sum of a payment's returns at its time, and not which they were: one that is
// not known to be newer may be among them. Fees are none of them.
bool Judge::may_be_imported(const Movement& movement) const {
    const bool is_return = std::holds_alternative<ByEvent>(entry_.cause) &&
                           !is_capture(movement.effect_key) && !is_of_the_system(movement.account);
    if (!is_return) return false;
    const Transfer* imported = book_.imported_under(payment_key_of(movement.effect_key));
    if (imported == nullptr) return false;
    return !entry_.occurred_at || !imported->occurred_at ||
           *entry_.occurred_at <= *imported->occurred_at;
}

// An operator has found that the import does not contain it.
Judge::Verdict Judge::as_not_imported(const Movement& movement, const AccountId& account) {
    if (overrides_.check != "effect_conflict") return Quarantine{"effect_conflict"};
    const bool is_total = movement.amount_is == AmountIs::total;
    return is_total ? total(movement, account)
                    : step(movement, account, free_key(movement.effect_key));
}

// A payment has one holder: what names the account that an operator has moved it from goes to the
// other one, too. An operator's own entry names the account that is meant.
const AccountId& Judge::follow(const EffectKey& key, const AccountId& account) const {
    if (std::holds_alternative<ByOperator>(entry_.cause)) return account;
    if (need_ != nullptr && need_->account() == account) return book_.holding_account(*need_);
    return book_.moved_to(payment_key_of(key), account);
}

// Where an operator posts a capture in spite of a conflict, its payment keeps its one holder.
const AccountId& Judge::holder_beside(const EffectKey& key, const AccountId& account) const {
    const Transfer* other = is_capture(key) ? book_.met_by(stem_of(key)) : nullptr;
    return other == nullptr ? account : book_.holding_account(*other);
}

std::optional<Quarantine> Judge::unusable(const Movement& movement,
                                          const AccountId& account) const {
    const bool waits_for_account = account.empty() && unmet_ && !overrides_.skip_needs;
    if (account.empty() && !(waits_for_account && movement.account.empty())) {
        return Quarantine{"bad_account"};
    }
    if (is_clearing(account)) return Quarantine{"clearing_account"};
    if (!account.empty() && movement.against == account) return Quarantine{"bad_account"};
    if (movement.effect_key.empty()) return Quarantine{"effect_key_missing"};
    const bool below_zero = movement.amount.minor < 0;
    if (below_zero && movement.kind != Kind::set_balance) return Quarantine{"bad_amount"};
    return std::nullopt;
}

// The amount of a set_balance follows from the balance at that time, and cannot be compared
// afterwards. An account that is not named is not compared.
bool Judge::same(const Movement& movement, const AccountId& account, const Transfer& posted) const {
    if (posted.amount.currency != movement.amount.currency) return false;
    const bool same_account = movement.account.empty() || movement.account == posted.account() ||
                              account == book_.holding_account(posted);
    if (movement.kind == Kind::set_balance) return same_account;
    if (posted.amount != movement.amount) return false;
    const bool debits = movement.kind == Kind::debit;
    if (movement.against.empty()) return same_account && posted.is_debit() == debits;
    return movement.against == (debits ? posted.credit : posted.debit) &&
           account == (debits ? posted.debit : posted.credit);
}

Judge::Verdict Judge::posted_already(const Movement& movement, const AccountId& account,
                                     const Transfer& posted) {
    if (same(movement, account, posted)) {
        if (movement.kind == Kind::debit) return moved_again(movement, posted);
        return AlreadyPosted{movement.effect_key, {}};
    }
    if (overrides_.check == "effect_conflict") {
        const EffectKey& key = movement.effect_key;
        return step(movement, holder_beside(key, account), free_key(key));
    }
    return Quarantine{"effect_conflict"};
}

// Returns the reason that stops a movement whose key is free; nullopt if it can be posted.
std::optional<Judge::Verdict> Judge::stopped(const Movement& movement) const {
    if (entry_.ordering.policy == OrderingPolicy::strict && passed_) return Stale{};
    if (unmet_ && !overrides_.skip_needs) {
        if (entry_.unmet == Unmet::ignore) return Ignore{nothing_to_return, *unmet_};
        return Park{*unmet_};
    }
    for (const EffectKey& need : entry_.needs) {
        const Transfer* met = book_.met_by(need);
        if (met == nullptr) continue;
        // Neither there nor missing: to return it once more would move its money twice.
        if (met->taken_back && !overrides_.skip_needs) return Quarantine{"need_reversed"};
        if (!is_of_the_system(movement.account) &&
            met->amount.currency != movement.amount.currency) {
            return Quarantine{"currency_mismatch"};
        }
    }
    return std::nullopt;
}

// A payment is captured in one way: as one, under ids, or as a total. An operator's "#" is none.
bool Judge::fits_shape(const EffectKey& key) const {
    if (!is_capture(key)) return true;
    const EffectKey root = stem_of(key);
    const auto mark_of = [&root](const EffectKey& one) {
        return one.str().size() == root.str().size() ? '\0' : one.str()[root.str().size()];
    };
    const char mark = mark_of(key);
    if (mark == '#') return true;
    if (mark != '\0' && book_.find(root) != nullptr) return false;
    const auto& below = book_.below(root);
    return std::all_of(below.begin(), below.end(), [&](const Transfer* one) {
        const char other = mark_of(one->effect_key);
        return other == mark || other == '#';
    });
}

bool Judge::taken(const EffectKey& key) const {
    return book_.find(key) != nullptr ||
           std::any_of(post_.steps.begin(), post_.steps.end(),
                       [&key](const Step& step) { return step.key == key; });
}

EffectKey Judge::free_key(const EffectKey& key) const {
    int n = 2;
    while (taken(repeated_key(key, n))) ++n;
    return repeated_key(key, n);
}

EffectKey Judge::payment_key_of(const EffectKey& key) const {
    if (is_capture(key)) return stem_of(key);
    if (!entry_.payment_key.empty()) return entry_.payment_key;
    if (entry_.needs.empty()) return {};
    const EffectKey& need = entry_.needs.front();
    if (is_capture(need)) return stem_of(need);
    return need_ == nullptr ? EffectKey{} : need_->payment_key;
}

Balance Judge::before(const BalanceKey& key) const {
    for (auto step = post_.steps.rbegin(); step != post_.steps.rend(); ++step) {
        if (step->currency != key.second) continue;
        if (step->account == key.first) return step->after;
        if (step->against_after && step->against == key.first) return *step->against_after;
    }
    return book_.balance(key);
}

std::variant<std::int64_t, Quarantine> Judge::amount_of(const Movement& movement,
                                                        const Balance& before) const {
    const std::int64_t amount = movement.amount.minor;
    if (movement.kind != Kind::set_balance) {
        return movement.kind == Kind::debit ? -amount : amount;
    }
    const bool known = before.version > 0 || before.touched;
    if (known && !before.absolute) return Quarantine{"account_takes_increments"};
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(amount, before.amount, &difference)) {
        return Quarantine{"balance_overflow"};
    }
    return difference;
}

Judge::Verdict Judge::step(const Movement& movement, const AccountId& account, EffectKey key) {
    if (taken(key) || book_.taken_by_other_key(key)) return Quarantine{"effect_conflict"};
    if (!fits_shape(key)) {
        if (overrides_.check != "effect_conflict") return Quarantine{"effect_conflict"};
        key = free_key(stem_of(key));
        return step(movement, holder_beside(key, account), std::move(key));
    }
    if (auto stop = stopped(movement)) return std::move(*stop);
    Step step{std::move(key), account, movement.amount.currency};
    step.against = movement.against;
    step.payment_key = payment_key_of(step.key);
    step.occurred_at = entry_.occurred_at;
    if (movement.kind == Kind::credit && need_ != nullptr && need_->is_debit()) {
        step.returns = entry_.needs.front();
    }
    const auto moved = amount_of(movement, before({account, step.currency}));
    if (const auto* why = std::get_if<Quarantine>(&moved)) return *why;
    return move(std::move(step), std::get<std::int64_t>(moved), movement.kind == Kind::set_balance);
}

// The other account, where that has a balance too.
std::optional<Quarantine> Judge::move_against(Step& step, std::int64_t moved) const {
    if (step.against.empty() || is_clearing(step.against)) return std::nullopt;
    Balance after = before({step.against, step.currency});
    if (after.absolute) return Quarantine{"account_is_absolute"};
    if (__builtin_sub_overflow(after.amount, moved, &after.amount)) {
        return Quarantine{"balance_overflow"};
    }
    after.touched = true;
    step.against_after = after;
    return std::nullopt;
}

Judge::Verdict Judge::move(Step step, std::int64_t moved, bool absolute) {
    const Ordering& ordering = entry_.ordering;
    const Balance before = this->before({step.account, step.currency});
    if (before.absolute && !absolute) return Quarantine{"account_is_absolute"};
    step.after = before;
    // INT64_MIN has no positive counterpart that a journal row could hold.
    if (moved == INT64_MIN || __builtin_add_overflow(before.amount, moved, &step.after.amount)) {
        return Quarantine{"balance_overflow"};
    }
    if (auto why = move_against(step, moved)) return *why;
    step.moved = moved;
    step.after.touched = true;
    step.after.absolute = absolute;
    const auto& last = before.last_event_sequence;
    // A held event is not late when its number comes.
    const bool held = ordering.policy == OrderingPolicy::hold;
    bool late = held && passed_;
    if (ordering.number) {
        if (!held && last && *ordering.number < *last) late = true;
        if (!last || *ordering.number > *last) step.after.last_event_sequence = ordering.number;
        if (late) ++step.after.late_count;
    }
    post_.late = post_.late || late;
    return step;
}

}  // namespace pawl::ledger
