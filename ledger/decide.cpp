#include "ledger/decide.hpp"

namespace pawl::ledger {
namespace {

using providers::Action;
using providers::Event;
using providers::Movement;
using providers::Order;

// Amounts that follow from what was known when they were posted cannot be compared afterwards.
bool amount_is_its_own(const Event& event) {
    return event.action != Action::set_balance && !event.movement->is_total;
}

bool same_movement(const Transfer& posted, const Event& event) {
    const Movement& movement = *event.movement;
    if (posted.amount.currency != movement.amount.currency) return false;
    if (!amount_is_its_own(event)) {
        return posted.debit == movement.account || posted.credit == movement.account;
    }
    const AccountId& ours = event.action == Action::debit ? posted.debit : posted.credit;
    return ours == movement.account && posted.amount == movement.amount;
}

std::optional<Quarantine> unusable(const Event& event) {
    const Movement& movement = *event.movement;
    if (movement.account.empty()) return Quarantine{"bad_account"};
    if (is_clearing(movement.account)) return Quarantine{"clearing_account"};
    if (movement.effect_key.empty()) return Quarantine{"effect_key_missing"};
    const bool below_zero = movement.amount.minor < 0;
    if (below_zero && event.action != Action::set_balance) return Quarantine{"bad_amount"};
    return std::nullopt;
}

// An unmet need parks; a need met in another currency can never be right.
std::optional<Decision> unmet_need(const Movement& movement, const Book& book, bool leave_needs) {
    for (const EffectKey& need : movement.needs) {
        const Transfer* met = book.posted(need);
        if (met == nullptr && leave_needs) continue;
        if (met == nullptr) return Park{need};
        if (met->amount.currency != movement.amount.currency) {
            return Quarantine{"currency_mismatch"};
        }
    }
    return std::nullopt;
}

TotalKey total_key(const Event& event, const Reporter& reporter) {
    return {reporter.books, event.object, event.movement->amount.currency};
}

// It posts nothing and claims no key, so that it neither waits nor conflicts. A total of zero is
// such an amount while nothing was posted under it; after that it is a fall.
bool is_zero(const Event& event, const Reporter& reporter, Book& book) {
    if (event.action == Action::set_balance || event.movement->amount.minor != 0) return false;
    return !event.movement->is_total || book.total(total_key(event, reporter)).posted == 0;
}

// How much moves to the account (negative: from it), or why nothing can be said about it.
using Moved = std::variant<std::int64_t, Stale, Quarantine>;

Moved moved_by_total(const Event& event, const Total& total) {
    std::int64_t part = 0;
    if (__builtin_sub_overflow(event.movement->amount.minor, total.posted, &part)) {
        return Quarantine{"balance_overflow"};
    }
    if (part < 0) {
        const bool older =
            event.sequence && total.last_sequence && *event.sequence < *total.last_sequence;
        if (older) return Stale{};
        return Quarantine{"total_fell"};
    }
    return event.action == Action::debit ? -part : part;
}

Moved moved_by(const Event& event, const Reporter& reporter, const Balance& before, Book& book) {
    const std::int64_t amount = event.movement->amount.minor;
    const bool known = before.version > 0 || before.touched;
    if (event.action == Action::set_balance) {
        if (known && !before.absolute) return Quarantine{"account_takes_increments"};
        std::int64_t difference = 0;
        if (__builtin_sub_overflow(amount, before.amount, &difference)) {
            return Quarantine{"balance_overflow"};
        }
        return difference;
    }
    if (before.absolute) return Quarantine{"account_is_absolute"};
    if (event.movement->is_total)
        return moved_by_total(event, book.total(total_key(event, reporter)));
    return event.action == Action::debit ? -amount : amount;
}

Decision decide_post(const Event& event, const Reporter& reporter, bool passed, Book& book) {
    const Movement& movement = *event.movement;
    const Balance& before = book.balance({movement.account, movement.amount.currency});
    const Moved moved = moved_by(event, reporter, before, book);
    if (const auto* why = std::get_if<Quarantine>(&moved)) return *why;
    if (std::holds_alternative<Stale>(moved)) return Stale{};
    Post post{passed, std::get<std::int64_t>(moved), before, std::nullopt};
    // INT64_MIN has no positive counterpart that a journal row could hold.
    if (post.moved == INT64_MIN ||
        __builtin_add_overflow(before.amount, post.moved, &post.after.amount)) {
        return Quarantine{"balance_overflow"};
    }
    post.after.touched = true;
    post.after.absolute = event.action == Action::set_balance;
    if (movement.is_total) post.total = Total{movement.amount.minor, event.sequence, true};
    if (!event.sequence) return post;
    const auto& last = before.last_event_sequence;
    // What waited for its turn is not late when the turn comes.
    if (event.order != Order::hold && last && *event.sequence < *last) post.late = true;
    if (!last || *event.sequence > *last) post.after.last_event_sequence = event.sequence;
    if (post.late) ++post.after.late_count;
    return post;
}

struct Carry {
    const Event& event;
    const Reporter& reporter;
    Time now;
    Book& book;

    Applied operator()(const Post& post) const {
        const Movement& movement = *event.movement;
        const Currency currency = movement.amount.currency;
        book.balance({movement.account, currency}) = post.after;
        if (post.total) book.total(total_key(event, reporter)) = *post.total;
        AccountId from = clearing_account(reporter.books);
        AccountId to = movement.account;
        if (post.moved < 0) std::swap(from, to);
        const std::int64_t amount = post.moved < 0 ? -post.moved : post.moved;
        if (amount > 0) {
            const bool by_event = reporter.payment_id.empty();
            book.post({movement.effect_key,
                       std::move(from),
                       std::move(to),
                       {amount, currency},
                       by_event ? reporter.provider : ProviderName(),
                       by_event ? event.event_id : EventId(),
                       event.sequence,
                       now,
                       reporter.refund_id.empty() ? reporter.payment_id : "",
                       reporter.refund_id,
                       post.total ? std::optional(total_key(event, reporter)) : std::nullopt});
        }
        return {post.late ? Outcome::applied_late : Outcome::applied, "", {}, {}, amount};
    }
    Applied operator()(const AlreadyPosted&) const {
        const Transfer* posted = book.posted(event.movement->effect_key);
        return {Outcome::duplicate_effect,
                "posted by " + posted->cause(),
                {},
                {},
                posted->amount.minor};
    }
    Applied operator()(const Park& park) const {
        return {Outcome::parked, "waiting for " + park.waits_for.str(), park.waits_for, {}, {}};
    }
    Applied operator()(const WaitTurn& wait) const {
        return {Outcome::parked,
                "waiting for " + std::to_string(wait.waits_for.value),
                {},
                wait.waits_for,
                {}};
    }
    Applied operator()(const Stale&) const { return {Outcome::stale, "", {}, {}, {}}; }
    Applied operator()(const Ignore& ignore) const {
        return {Outcome::ignored, ignore.note, {}, {}, {}};
    }
    Applied operator()(const Quarantine& quarantine) const {
        return {Outcome::quarantined, quarantine.reason, {}, {}, {}};
    }
};

// A number whose turn has come, and which is dealt with for good, moves its stream on.
void move_on(const Event& event, const Reporter& reporter, Outcome outcome, Book& book) {
    if (!takes_place(event) || !is_done(outcome) || outcome == Outcome::stale) return;
    Stream& stream = book.stream({reporter.books, event.sequence_rule.scope});
    if (turn_of(event, stream) != Turn::next) return;
    stream.last = event.sequence;
    stream.gap_since.reset();
    stream.touched = true;
}

}  // namespace

Decision decide(const Event& event, const Reporter& reporter, Book& book, const Leave& leave) {
    Turn turn = Turn::none;
    if (takes_place(event)) {
        const Stream& stream = book.stream({reporter.books, event.sequence_rule.scope});
        turn = turn_of(event, stream);
        if (turn == Turn::early && event.order == Order::hold && !leave.turn) {
            return WaitTurn{expected(event, stream)};
        }
    }
    if (event.action == Action::ignore) return Ignore{""};
    if (!event.movement) return Quarantine{"workflow_unknown"};
    if (auto problem = unusable(event)) return *problem;
    if (is_zero(event, reporter, book)) return Ignore{"zero_amount"};
    if (const Transfer* posted = book.posted(event.movement->effect_key)) {
        if (same_movement(*posted, event)) return AlreadyPosted{};
        return Quarantine{"effect_conflict"};
    }
    if (book.taken_by_other_key(event.movement->effect_key)) return Quarantine{"effect_conflict"};
    if (event.order == Order::strict && turn == Turn::passed) return Stale{};
    if (auto waiting = unmet_need(*event.movement, book, leave.needs)) return *waiting;
    const bool passed = event.order == Order::hold && turn == Turn::passed;
    return decide_post(event, reporter, passed, book);
}

Applied apply(const Decision& decision, const Event& event, const Reporter& reporter, Time now,
              Book& book) {
    Applied applied = std::visit(Carry{event, reporter, now, book}, decision);
    move_on(event, reporter, applied.outcome, book);
    return applied;
}

}  // namespace pawl::ledger
