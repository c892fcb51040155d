#include "ledger/decide.hpp"

namespace pawl::ledger {
namespace {

using providers::Action;
using providers::Event;
using providers::Movement;

// Who pays and who receives: a credit takes from the provider's clearing account.
std::pair<AccountId, AccountId> sides(Action action, const Movement& movement,
                                      const ProviderName& provider) {
    const AccountId clearing = clearing_account(provider);
    if (action == Action::debit) return {movement.account, clearing};
    return {clearing, movement.account};
}

bool same_movement(const Transfer& posted, Action action, const Movement& movement) {
    const AccountId& ours = action == Action::debit ? posted.debit : posted.credit;
    return ours == movement.account && posted.amount == movement.amount;
}

std::optional<Quarantine> unusable(const Movement& movement) {
    if (movement.account.empty()) return Quarantine{"bad_account"};
    if (is_clearing(movement.account)) return Quarantine{"clearing_account"};
    if (movement.effect_key.empty()) return Quarantine{"effect_key_missing"};
    if (movement.amount.minor < 0) return Quarantine{"bad_amount"};
    return std::nullopt;
}

// An unmet need parks; a need met in another currency can never be right.
std::optional<Decision> unmet_need(const Movement& movement, const Book& book) {
    for (const EffectKey& need : movement.needs) {
        const Transfer* met = book.posted(need);
        if (met == nullptr) return Park{need};
        if (met->amount.currency != movement.amount.currency) {
            return Quarantine{"currency_mismatch"};
        }
    }
    return std::nullopt;
}

// The balance after the movement; nothing where it does not fit in 64 bits.
std::optional<Balance> moved(const Balance& before, const Event& event) {
    Balance after = before;
    const std::int64_t minor = event.movement->amount.minor;
    const bool overflow = event.action == Action::debit
                              ? __builtin_sub_overflow(before.amount, minor, &after.amount)
                              : __builtin_add_overflow(before.amount, minor, &after.amount);
    if (overflow) return std::nullopt;
    after.touched = true;
    return after;
}

Decision decide_post(const Event& event, const Balance& before) {
    std::optional<Balance> after = moved(before, event);
    if (!after) return Quarantine{"balance_overflow"};
    Post post{false, *after};
    if (event.sequence && before.last_event_sequence &&
        *event.sequence < *before.last_event_sequence) {
        post.late = true;
        ++post.after.late_count;
    } else if (event.sequence) {
        post.after.last_event_sequence = event.sequence;
    }
    return post;
}

struct Carry {
    const Event& event;
    const ProviderName& provider;
    Time now;
    Book& book;

    Applied operator()(const Post& post) const {
        const Movement& movement = *event.movement;
        book.balance({movement.account, movement.amount.currency}) = post.after;
        if (movement.amount.minor > 0) {
            auto [debit, credit] = sides(event.action, movement, provider);
            book.post({movement.effect_key, std::move(debit), std::move(credit), movement.amount,
                       provider, event.event_id, event.sequence, now});
        }
        return {post.late ? Outcome::applied_late : Outcome::applied, ""};
    }
    Applied operator()(const AlreadyPosted&) const {
        const Transfer* posted = book.posted(event.movement->effect_key);
        return {Outcome::duplicate_effect, "posted by " + posted->event_id.str()};
    }
    Applied operator()(const Park& park) const {
        return {Outcome::parked, "waiting for " + park.waits_for.str()};
    }
    Applied operator()(const Quarantine& quarantine) const {
        return {Outcome::quarantined, quarantine.reason};
    }
};

}  // namespace

Decision decide(const Event& event, Book& book) {
    const Movement& movement = *event.movement;
    if (auto problem = unusable(movement)) return *problem;
    if (const Transfer* posted = book.posted(movement.effect_key)) {
        if (same_movement(*posted, event.action, movement)) return AlreadyPosted{};
        return Quarantine{"effect_conflict"};
    }
    if (auto waiting = unmet_need(movement, book)) return *waiting;
    return decide_post(event, book.balance({movement.account, movement.amount.currency}));
}

Applied apply(const Decision& decision, const Event& event, const ProviderName& provider, Time now,
              Book& book) {
    return std::visit(Carry{event, provider, now, book}, decision);
}

}  // namespace pawl::ledger
