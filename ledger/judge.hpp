// Judges the movements of one entry one after the other; each sees what those before it do. Part of
// decide; lives for one call.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ledger/decide.hpp"

namespace pawl::ledger {

class Judge {
  public:
    // `passed`: its number has gone by.
    Judge(const Entry& entry, Book& book, const OperatorOverride& overrides, bool passed);
    Decision all();

  private:
    struct Nothing {};  // an amount of zero
    using Verdict = std::variant<Step, AlreadyPosted, Nothing, Park, Stale, Ignore, Quarantine>;

    void find_need();
    Verdict judge(const Movement& movement);
    const AccountId& follow(const EffectKey& key, const AccountId& account) const;
    const AccountId& holder_beside(const EffectKey& key, const AccountId& account) const;
    bool may_be_imported(const Movement& movement) const;
    Verdict as_not_imported(const Movement& movement, const AccountId& account);
    // Running totals, in judge_totals.cpp.
    Verdict total(const Movement& movement, const AccountId& account);
    Verdict next_total(const Movement& movement, const AccountId& account, const Total& known);
    bool matches_known_total(const Movement& movement, const Total& known) const;
    void confirm(const EffectKey& key, const Total& known);
    bool precedes_a_fall(const Movement& movement) const;
    Verdict judge_lower_total(const Movement& movement, const AccountId& account,
                              const Total& known);
    Verdict post_growth(const Movement& movement, const AccountId& account, const EffectKey& key,
                        std::int64_t growth);
    EffectKey unused_total_key(const EffectKey& key, std::int64_t total) const;
    EffectKey last_repetition(const EffectKey& key) const;

    // Movements that happen again, in judge_repetitions.cpp.
    Verdict moved_again(const Movement& movement, const Transfer& posted);
    Verdict returned(const Movement& movement, const AccountId& account);
    Verdict with_proven(Verdict verdict, const Transfer* like, const std::optional<Time>& at);
    Verdict post_reported(const Transfer& first, Time at);

    Verdict posted_already(const Movement& movement, const AccountId& account,
                           const Transfer& posted);
    Verdict step(const Movement& movement, const AccountId& account, EffectKey key);
    std::variant<std::int64_t, Quarantine> amount_of(const Movement& movement,
                                                     const Balance& before) const;
    Verdict move(Step step, std::int64_t moved, bool absolute);
    std::optional<Quarantine> move_against(Step& step, std::int64_t moved) const;

    std::optional<Verdict> stopped(const Movement& movement) const;
    std::optional<Quarantine> unusable(const Movement& movement, const AccountId& account) const;
    bool fits_shape(const EffectKey& key) const;
    bool same(const Movement& movement, const AccountId& account, const Transfer& posted) const;
    EffectKey free_key(const EffectKey& key) const;
    EffectKey payment_key_of(const EffectKey& key) const;
    Balance before(const BalanceKey& key) const;
    bool taken(const EffectKey& key) const;

    const Entry& entry_;
    Book& book_;
    const OperatorOverride& overrides_;
    const bool passed_;
    const Transfer* need_ = nullptr;  // the movement that meets the first need
    std::optional<EffectKey> unmet_;  // a need that nothing meets
    Post post_;
};

}  // namespace pawl::ledger
