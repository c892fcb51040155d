#include "ledger/decide.hpp"

namespace pawl::ledger {
namespace {

// Amounts that follow from what was known when they were posted cannot be compared afterwards.
bool amount_is_its_own(const Entry& entry) {
    return entry.movement.kind != Kind::set_balance && entry.movement.total_of.empty();
}

bool same_movement(const Transfer& posted, const Entry& entry) {
    const Movement& movement = entry.movement;
    if (posted.amount.currency != movement.amount.currency) return false;
    if (!amount_is_its_own(entry)) {
        return posted.debit == movement.account || posted.credit == movement.account;
    }
    const bool debits = movement.kind == Kind::debit;
    const AccountId& ours = debits ? posted.debit : posted.credit;
    const AccountId& other = debits ? posted.credit : posted.debit;
    return ours == movement.account && posted.amount == movement.amount &&
           (movement.against.empty() || other == movement.against);
}

std::optional<Quarantine> unusable(const Entry& entry) {
    const Movement& movement = entry.movement;
    if (movement.account.empty()) return Quarantine{"bad_account"};
    if (is_clearing(movement.account)) return Quarantine{"clearing_account"};
    if (movement.against == movement.account) return Quarantine{"bad_account"};
    if (movement.effect_key.empty()) return Quarantine{"effect_key_missing"};
    const bool below_zero = movement.amount.minor < 0;
    if (below_zero && movement.kind != Kind::set_balance) return Quarantine{"bad_amount"};
    return std::nullopt;
}

// An unmet need parks; a need met in another currency can never be right. What an operator has
// taken back is neither there nor missing: to return it once more would move its money twice.
std::optional<Decision> unmet_need(const Movement& movement, const Book& book, bool leave_needs) {
    for (const EffectKey& need : movement.needs) {
        const Transfer* met = book.posted(need);
        if (met == nullptr && leave_needs) continue;
        if (met == nullptr) return Park{need};
        if (met->taken_back && !leave_needs) return Quarantine{"need_reversed"};
        if (met->amount.currency != movement.amount.currency) {
            return Quarantine{"currency_mismatch"};
        }
    }
    return std::nullopt;
}

TotalKey total_key(const Entry& entry) {
    return {entry.books, entry.movement.total_of, entry.movement.amount.currency};
}

// It posts nothing and claims no key, so that it neither waits nor conflicts. A total of zero is
// such an amount while nothing was posted under it; after that it is a fall.
bool is_zero(const Entry& entry, Book& book) {
    if (entry.movement.kind == Kind::set_balance || entry.movement.amount.minor != 0) return false;
    return entry.movement.total_of.empty() || book.total(total_key(entry)).posted == 0;
}

// How much moves to the account (negative: from it), or why nothing can be said about it.
using Moved = std::variant<std::int64_t, Stale, Quarantine>;

Moved moved_by_total(const Entry& entry, const Total& total) {
    std::int64_t part = 0;
    if (__builtin_sub_overflow(entry.movement.amount.minor, total.posted, &part)) {
        return Quarantine{"balance_overflow"};
    }
    if (part < 0) {
        const auto& number = entry.ordering.number;
        const bool older = number && total.last_sequence && *number < *total.last_sequence;
        if (older) return Stale{};
        return Quarantine{"total_fell"};
    }
    return entry.movement.kind == Kind::debit ? -part : part;
}

Moved moved_by(const Entry& entry, const Balance& before, Book& book) {
    const std::int64_t amount = entry.movement.amount.minor;
    const bool known = before.version > 0 || before.touched;
    if (entry.movement.kind == Kind::set_balance) {
        if (known && !before.absolute) return Quarantine{"account_takes_increments"};
        std::int64_t difference = 0;
        if (__builtin_sub_overflow(amount, before.amount, &difference)) {
            return Quarantine{"balance_overflow"};
        }
        return difference;
    }
    if (before.absolute) return Quarantine{"account_is_absolute"};
    if (!entry.movement.total_of.empty())
        return moved_by_total(entry, book.total(total_key(entry)));
    return entry.movement.kind == Kind::debit ? -amount : amount;
}

// What becomes of the other account, where that has a balance too.
using OtherSide = std::variant<std::monostate, Balance, Quarantine>;

OtherSide other_side(const Movement& movement, std::int64_t moved, Book& book) {
    if (movement.against.empty() || is_clearing(movement.against)) return std::monostate{};
    Balance after = book.balance({movement.against, movement.amount.currency});
    if (after.absolute) return Quarantine{"account_is_absolute"};
    if (__builtin_sub_overflow(after.amount, moved, &after.amount)) {
        return Quarantine{"balance_overflow"};
    }
    after.touched = true;
    return after;
}

Decision decide_post(const Entry& entry, bool passed, Book& book) {
    const Movement& movement = entry.movement;
    const Ordering& ordering = entry.ordering;
    const Balance& before = book.balance({movement.account, movement.amount.currency});
    const Moved moved = moved_by(entry, before, book);
    if (const auto* why = std::get_if<Quarantine>(&moved)) return *why;
    if (std::holds_alternative<Stale>(moved)) return Stale{};
    Post post{passed, std::get<std::int64_t>(moved), before, std::nullopt, std::nullopt};
    // INT64_MIN has no positive counterpart that a journal row could hold.
    if (post.moved == INT64_MIN ||
        __builtin_add_overflow(before.amount, post.moved, &post.after.amount)) {
        return Quarantine{"balance_overflow"};
    }
    const OtherSide other = other_side(movement, post.moved, book);
    if (const auto* why = std::get_if<Quarantine>(&other)) return *why;
    if (const auto* after = std::get_if<Balance>(&other)) post.other_after = *after;
    post.after.touched = true;
    post.after.absolute = movement.kind == Kind::set_balance;
    const bool is_total = !movement.total_of.empty();
    if (is_total) post.total = Total{movement.amount.minor, ordering.number, true};
    if (!ordering.number) return post;
    const auto& last = before.last_event_sequence;
    // What waited for its turn is not late when the turn comes.
    const bool held = ordering.policy == OrderingPolicy::hold;
    if (!held && last && *ordering.number < *last) post.late = true;
    if (!last || *ordering.number > *last) post.after.last_event_sequence = ordering.number;
    if (post.late) ++post.after.late_count;
    return post;
}

// Exactly one of event, payment, refund and operator's entry, as the journal's columns.
struct Cite {
    Transfer& transfer;
    void operator()(ByEvent& event) const {
        transfer.provider = std::move(event.provider);
        transfer.event_id = std::move(event.event_id);
    }
    void operator()(ByPayment& payment) const {
        transfer.payment_id = std::move(payment.payment_id);
    }
    void operator()(ByRefund& refund) const { transfer.refund_id = std::move(refund.refund_id); }
    void operator()(ByOperator& act) const { transfer.by_operator = std::move(act); }
};

std::string root_of(const Entry& entry, const Book& book) {
    if (!entry.movement.payment_key.empty()) return entry.movement.payment_key;
    const auto is_capture = [](const EffectKey& key) {
        return key.str().find("/capture/") != std::string::npos;
    };
    const Movement& movement = entry.movement;
    if (is_capture(movement.effect_key)) return movement.effect_key.str();
    if (movement.needs.empty()) return "";
    if (is_capture(movement.needs.front())) return movement.needs.front().str();
    const Transfer* need = book.posted(movement.needs.front());
    return need == nullptr ? "" : need->payment_key;
}

struct Carry {
    Entry& entry;
    Time now;
    Book& book;

    Applied operator()(const Post& post) const {
        Movement& movement = entry.movement;
        const Currency currency = movement.amount.currency;
        book.balance({movement.account, currency}) = post.after;
        if (post.other_after) book.balance({movement.against, currency}) = *post.other_after;
        if (post.total) book.total(total_key(entry)) = *post.total;
        const std::int64_t amount = post.moved < 0 ? -post.moved : post.moved;
        if (amount > 0) {
            Transfer transfer;
            transfer.debit = movement.against.empty() ? clearing_account(entry.books)
                                                      : std::move(movement.against);
            transfer.credit = std::move(movement.account);
            if (post.moved < 0) std::swap(transfer.debit, transfer.credit);
            transfer.payment_key = root_of(entry, book);
            transfer.effect_key = std::move(movement.effect_key);
            transfer.amount = {amount, currency};
            transfer.sequence = entry.ordering.number;
            transfer.posted_at = now;
            std::visit(Cite{transfer}, entry.cause);
            if (post.total) transfer.total = total_key(entry);
            book.post(std::move(transfer));
        }
        return {post.late ? Outcome::applied_late : Outcome::applied, "", {}, {}, amount};
    }
    Applied operator()(const AlreadyPosted&) const {
        const Transfer* posted = book.posted(entry.movement.effect_key);
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
    Applied operator()(const Dismiss& dismiss) const {
        return {Outcome::dismissed, dismiss.note, {}, {}, {}};
    }
};

// A number whose turn has come, and which is dealt with for good, moves its stream on.
void move_on(const Entry& entry, Outcome outcome, Book& book) {
    const Ordering& ordering = entry.ordering;
    if (!takes_place(ordering) || !is_done(outcome) || outcome == Outcome::stale) return;
    SequenceState& stream = book.stream({entry.books, std::string(ordering.scope)});
    if (turn_of(ordering, stream) != Turn::next) return;
    stream.last = ordering.number;
    stream.gap_since.reset();
    stream.touched = true;
}

}  // namespace

Decision decide(const Entry& entry, Book& book, const OperatorOverride& overrides) {
    const Ordering& ordering = entry.ordering;
    Turn turn = Turn::none;
    if (takes_place(ordering)) {
        const SequenceState& stream = book.stream({entry.books, std::string(ordering.scope)});
        turn = turn_of(ordering, stream);
        if (turn == Turn::early && ordering.policy == OrderingPolicy::hold &&
            !overrides.skip_sequence) {
            return WaitTurn{expected(ordering, stream)};
        }
    }
    if (entry.movement.kind == Kind::none) return Ignore{""};
    if (auto problem = unusable(entry)) return *problem;
    if (is_zero(entry, book)) return Ignore{"zero_amount"};
    if (const Transfer* posted = book.posted(entry.movement.effect_key)) {
        if (same_movement(*posted, entry)) return AlreadyPosted{};
        return Quarantine{"effect_conflict"};
    }
    if (book.taken_by_other_key(entry.movement.effect_key)) return Quarantine{"effect_conflict"};
    if (ordering.policy == OrderingPolicy::strict && turn == Turn::passed) return Stale{};
    if (auto waiting = unmet_need(entry.movement, book, overrides.skip_needs)) return *waiting;
    const bool passed = ordering.policy == OrderingPolicy::hold && turn == Turn::passed;
    return decide_post(entry, passed, book);
}

Applied apply(const Decision& decision, Entry&& entry, Time now, Book& book) {
    Applied applied = std::visit(Carry{entry, now, book}, decision);
    move_on(entry, applied.outcome, book);
    return applied;
}

}  // namespace pawl::ledger
