#include "ledger/decide.hpp"

#include "ledger/judge.hpp"

namespace pawl::ledger {
namespace {

// Exactly one of event, payment, refund and operator's entry, as the journal's columns.
struct Cite {
    Transfer& transfer;
    void operator()(const ByEvent& event) const {
        transfer.provider = event.provider;
        transfer.event_id = event.event_id;
    }
    void operator()(const ByPayment& payment) const { transfer.payment_id = payment.payment_id; }
    void operator()(const ByRefund& refund) const { transfer.refund_id = refund.refund_id; }
    void operator()(const ByOperator& act) const { transfer.by_operator = act; }
};

struct Carry {
    Entry& entry;
    Time now;
    Book& book;

    Applied operator()(const Post& post) const {
        note(post);
        for (const Step& step : post.steps) carry(step);
        const Step& first = post.steps.front();
        return {post.late ? Outcome::applied_late : Outcome::applied, "",        {},           {},
                first.moved < 0 ? -first.moved : first.moved,         first.key, first.account};
    }
    template <class Reported>
    void note(const Reported& by) const {
        for (const Report& report : by.reports) book.report(report.key, report.at);
        for (const Confirmed& one : by.confirmed) book.confirm(one.total_of, one.number);
    }
    void carry(const Step& step) const {
        book.balance({step.account, step.currency}) = step.after;
        if (step.against_after) book.balance({step.against, step.currency}) = *step.against_after;
        if (step.total) book.set(step.total_of, *step.total);
        if (step.moved == 0) return;
        Transfer transfer;
        transfer.debit = step.against.empty() ? clearing_account(entry.books) : step.against;
        transfer.credit = step.account;
        if (step.moved < 0) std::swap(transfer.debit, transfer.credit);
        transfer.effect_key = step.key;
        transfer.payment_key = step.payment_key;
        transfer.returns = step.returns;
        transfer.amount = {step.moved < 0 ? -step.moved : step.moved, step.currency};
        transfer.sequence = entry.ordering.number;
        transfer.occurred_at = step.occurred_at;
        transfer.posted_at = now;
        std::visit(Cite{transfer}, entry.cause);
        book.post(std::move(transfer));
    }
    Applied operator()(const AlreadyPosted& known) const {
        note(known);
        const Transfer* posted = book.find(known.twin);
        if (posted == nullptr) return {Outcome::duplicate_effect, "", {}, {}, {}};
        return {Outcome::duplicate_effect,
                "posted by " + posted->cause(),
                {},
                {},
                posted->amount.minor,
                posted->effect_key,
                posted->account()};
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
    Applied operator()(const Stale& stale) const {
        return {Outcome::stale, stale.note, {}, {}, {}};
    }
    Applied operator()(const Ignore& ignore) const {
        if (ignore.until && entry.occurred_at) book.await_return(*ignore.until, *entry.occurred_at);
        return {Outcome::ignored, ignore.note, ignore.until, {}, {}};
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
    if (entry.movements.empty()) return Ignore{""};
    return Judge(entry, book, overrides, turn == Turn::passed).all();
}

Applied apply(const Decision& decision, Entry&& entry, Time now, Book& book) {
    Applied applied = std::visit(Carry{entry, now, book}, decision);
    move_on(entry, applied.outcome, book);
    return applied;
}

}  // namespace pawl::ledger
