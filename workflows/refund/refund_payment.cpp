#include "workflows/refund/refund_payment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "base/keys.hpp"
#include "payments/sums.hpp"
#include "workflows/call/pinned_call.hpp"
#include "workflows/call/recovering.hpp"
#include "workflows/engine/runs.hpp"
#include "workflows/standing.hpp"

namespace pawl::workflows {
namespace {

using outbound::GatewayResult;
using outbound::HttpResult;
using payments::Payment;
using payments::Refund;
using payments::RefundState;
using payments::State;

Subject load(db::Transaction& transaction, const Run& run) {
    auto locked = payments::lock_refund(transaction, run.remembered("refund"));
    if (!locked) throw std::runtime_error("the refund of this run is not stored");
    return {std::move(locked->payment), std::move(locked->refund)};
}

Next end(db::Transaction& transaction, const Subject& subject, RefundState state,
         const std::string& note, Time now) {
    Refund after = *subject.refund;
    if (!payments::advance(after, state)) return Finish{note};
    after.note = note;
    keep(transaction, *subject.refund, after, subject.payment.account, now);
    return Finish{note};
}

// The state that the journal proves, by a refund's debit and its returns; nullopt: not posted.
std::optional<RefundState> posted_state(db::Transaction& transaction, const Payment& payment,
                                        const std::string& reference) {
    if (reference.empty()) return std::nullopt;
    const auto sums = payments::sum_up(payment, payments::read_movements(transaction, payment));
    const auto posted = sums.refunded.find(make_effect_key(payment.books, "refund", {reference}));
    if (posted == sums.refunded.end()) return std::nullopt;
    return posted->second > 0 ? RefundState::succeeded : RefundState::failed;
}

// Its webhooks were faster: it has succeeded, and bounced.
Next bounced(db::Transaction& transaction, const Subject& subject, Refund after, Time now) {
    payments::advance(after, RefundState::failed);
    after.note = "the refund bounced";
    keep(transaction, *subject.refund, after, subject.payment.account, now);
    bring_to_sums(transaction, subject.payment, subject.payment, now);
    return Finish{after.note};
}

std::optional<std::string> settled(db::Transaction& transaction, const Subject& of, Time now) {
    bring_to_sums(transaction, of.payment, of.payment, now);
    const auto after = payments::find_refund(transaction, of.refund->id);
    if (after->state == RefundState::succeeded) return "refunded";
    const bool has_bounced =
        after->state == RefundState::failed &&
        posted_state(transaction, of.payment, after->reference) == RefundState::failed;
    return has_bounced ? std::optional(after->note) : std::nullopt;
}

// A refund has no state in which the payer must act: the gateway is still at work.
RefundState state_of(State state) {
    if (state == State::calling) return RefundState::calling;
    return state == State::unknown ? RefundState::unknown : RefundState::processing;
}

// Refunds of the payment that Pawl has made and the tables do not have, unless a webhook has posted
// them.
std::optional<std::string> lost_refund(db::Transaction& transaction, const Subject& of,
                                       const GatewayResult& answer) {
    const auto known = payments::refunds_of(transaction, of.payment.id);
    const auto judge = [&](const outbound::FoundObject& other) -> std::optional<std::string> {
        const bool here = std::any_of(known.begin(), known.end(),
                                      [&](const Refund& one) { return one.key == other.key; }) ||
                          posted_state(transaction, of.payment, other.reference).has_value();
        if (here) return std::nullopt;
        return fmt::format(
            "{} is not sent: the gateway has {} ({}) of the same payment, which was lost here; "
            "have its webhook delivered again, then resume",
            of.refund->key, other.key, other.reference);
    };
    return first_lost(answer, fmt::format("refund:{}:", of.refund->order_id), judge);
}

CallHooks refund_hooks() {
    CallHooks hooks;
    hooks.step = "refund";
    hooks.load = load;
    hooks.key = [](const Subject& of) { return of.refund->key; };
    hooks.request = [](const Subject& of) {
        const Refund& refund = *of.refund;
        return of.gateway->refund({refund.order_id, refund.key, of.payment.reference, refund.amount,
                                   of.payment.account.str()});
    };
    hooks.read = [](const Subject& of, const HttpResult& outcome, bool in_doubt) {
        return of.gateway->read_refund(outcome, of.refund->key, in_doubt);
    };
    hooks.question = [](const Subject& of) {
        return of.gateway->find_refund(of.refund->key, of.payment.reference);
    };
    hooks.question_about = [](const Subject& of, const std::string&) {
        return of.gateway->find_refund(of.refund->key, of.payment.reference);
    };
    hooks.read_found = [](const Subject& of, const HttpResult& outcome) {
        return of.gateway->read_found_refund(outcome, of.refund->key);
    };
    hooks.question_first = hooks.question;
    hooks.lost = lost_refund;
    hooks.store = [](db::Transaction& transaction, const Subject& of, std::optional<State> state,
                     const GatewayResult& answer, Time now) {
        Refund after = *of.refund;
        if (!answer.reference.empty()) after.reference = answer.reference;
        if (state) payments::advance(after, state_of(*state));
        keep(transaction, *of.refund, after, of.payment.account, now);
    };
    hooks.close = [](db::Transaction& transaction, const StepContext& context, Subject& of,
                     const GatewayResult& answer) -> Next {
        // The merchant's cancel was accepted: its failure is not final without an operator.
        if (of.payment.cancel_requested) {
            return Review{"the refund of a canceled payment has failed: " + answer.note};
        }
        return end(transaction, of, RefundState::failed, answer.note, context.now);
    };
    hooks.settled = settled;
    return hooks;
}

Next settle(db::Transaction& transaction, const StepContext& context, const Subject& subject,
            const WorkflowDeps& parts) {
    const Payment& payment = subject.payment;
    Refund after = *subject.refund;
    if (!subject.call.reference.empty()) after.reference = subject.call.reference;
    if (posted_state(transaction, payment, after.reference) == RefundState::failed) {
        return bounced(transaction, subject, after, context.now);
    }
    if (!subject.call.moved) {
        return Review{"the gateway reports the refund as succeeded, without an amount"};
    }
    const Money moved = *subject.call.moved;
    const EffectKey key = make_effect_key(payment.books, "refund", {after.reference});
    // An operator may have moved the payment to another account than that of its order.
    const AccountId holder_of_payment;
    ledger::Entry debit{payment.books,
                        {{ledger::Kind::debit, holder_of_payment, moved, key}},
                        {},
                        ledger::ByRefund{after.id}};
    debit.payment_key = root_of_payment(payment.books, payment.reference);
    debit.needs = {debit.payment_key};
    const auto posted = parts.post(transaction, debit, after.correlation_id, context.now);
    if (auto review = review_of(posted, "debit")) return *review;
    if (subject.call.forced) after.amount = moved;  // accepted by an operator
    if (moved != after.amount) {
        keep(transaction, *subject.refund, after, payment.account, context.now);
        bring_to_sums(transaction, payment, payment, context.now);
        return Review{fmt::format("the gateway returned {}, and {} was requested",
                                  to_decimal_text(moved), to_decimal_text(after.amount))};
    }
    payments::advance(after, RefundState::succeeded);
    after.note.clear();
    keep(transaction, *subject.refund, after, payment.account, context.now);
    bring_to_sums(transaction, payment, payment, context.now);
    return Finish{"refunded"};
}

}  // namespace

Workflow refund_payment(const WorkflowDeps& parts) {
    Workflow workflow = call_workflow(refund_payment_name, refund_hooks(), settle, parts);
    workflow.on_review = [](db::Transaction& transaction, const StepContext& context,
                            const std::string& why) {
        end(transaction, load(transaction, context.run), RefundState::needs_review, why,
            context.now);
    };
    return workflow;
}

void start_refund(db::Transaction& transaction, const payments::Refund& refund,
                  const payments::Payment& payment, Time now) {
    start_call(transaction,
               {refund_payment_name, "refund", refund.id, refund.key, payment.gateway,
                refund.correlation_id},
               now);
}

}  // namespace pawl::workflows
