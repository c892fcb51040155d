#include "workflows/capture/capture_payment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "ledger/book.hpp"
#include "workflows/call/pinned_call.hpp"
#include "workflows/crediting.hpp"
#include "workflows/engine/runs.hpp"
#include "workflows/standing.hpp"

namespace pawl::workflows {
namespace {

using outbound::GatewayResult;
using outbound::HttpResult;
using payments::Capture;
using payments::CaptureState;
using payments::Payment;
using payments::State;

Subject load(db::Transaction& transaction, const Run& run) {
    auto locked = payments::lock_capture(transaction, run.remembered("capture"));
    if (!locked) throw std::runtime_error("the capture of this run is not stored");
    Subject subject{std::move(locked->payment)};
    subject.capture = std::move(locked->capture);
    return subject;
}

// The payment's run asks the gateway what is left, or finishes. Not a provider's report.
void signal_charge(db::Transaction& transaction, const Payment& payment, const Capture& capture,
                   Time now) {
    Signal ended{std::string(movement_signal), "", std::nullopt,
                 ProviderName(std::string(ledger::operator_source)), EventId(capture.key)};
    signal_runs(transaction, {{payment.key, std::move(ended)}}, now);
}

Next end(db::Transaction& transaction, const Subject& subject, CaptureState state,
         const std::string& note, Time now) {
    Capture after = *subject.capture;
    if (!payments::advance(after, state)) return Finish{note};
    after.note = note;
    keep(transaction, *subject.capture, after, subject.payment, now);
    signal_charge(transaction, subject.payment, after, now);
    return Finish{note};
}

// The payer has nothing to do for a capture: the gateway is still at work.
CaptureState state_of(State state) {
    if (state == State::calling) return CaptureState::calling;
    return state == State::unknown ? CaptureState::unknown : CaptureState::processing;
}

outbound::CaptureKeys keys_of(const Subject& of) {
    return {of.payment.key, of.capture->key};
}

// Until it is sent: the authorization may have ended, or was captured elsewhere.
std::optional<std::string> obstacle_to(const Subject& of, const WorkflowDeps& parts) {
    if (payments::left_to_capture(of.payment) < of.capture->amount) {
        return "the authorization has ended, or was captured elsewhere";
    }
    const bool repeatable = parts.captures_of(of.payment.gateway) == CaptureShape::total;
    if (!of.capture->final && !repeatable) return "its books report one capture of a payment";
    return std::nullopt;
}

// More was captured there than the books have: by a capture whose commit was lost.
std::optional<std::string> lost_capture(const Subject& of, const GatewayResult& answer) {
    const Payment& payment = of.payment;
    const bool more = answer.moved && answer.moved->currency == payment.amount.currency &&
                      answer.moved->minor > payment.captured;
    if (!more) return std::nullopt;
    return fmt::format(
        "{} is not sent: the gateway has captured {} of this payment, and {} is known here; resume "
        "the run of {}, then this one",
        of.capture->key, to_decimal_text(*answer.moved),
        to_decimal_text({payment.captured, payment.amount.currency}), payment.key);
}

CallHooks capture_hooks(const WorkflowDeps& parts) {
    CallHooks hooks;
    hooks.step = "capture";
    hooks.load = load;
    hooks.key = [](const Subject& of) { return of.capture->key; };
    hooks.request = [](const Subject& of) {
        return of.gateway->capture({keys_of(of),
                                    of.payment.reference,
                                    {of.capture->amount, of.payment.amount.currency},
                                    of.capture->final});
    };
    hooks.read = [](const Subject& of, const HttpResult& outcome, bool in_doubt) {
        return of.gateway->read_capture(outcome, keys_of(of), in_doubt);
    };
    hooks.question = [](const Subject& of) {
        return of.gateway->find_charge(of.payment.key, of.payment.reference);
    };
    hooks.question_about = [](const Subject& of, const std::string& reference) {
        return of.gateway->find_charge(of.payment.key, reference);
    };
    hooks.read_found = [](const Subject& of, const HttpResult& outcome) {
        return of.gateway->read_found_capture(outcome, keys_of(of));
    };
    hooks.question_first = hooks.question;
    hooks.lost = [](db::Transaction&, const Subject& of, const GatewayResult& answer) {
        return lost_capture(of, answer);
    };
    hooks.instead = [&parts](db::Transaction& transaction, const StepContext& context,
                             Subject& of) -> std::optional<Next> {
        if (of.call.in_doubt) return std::nullopt;
        const auto obstacle = obstacle_to(of, parts);
        if (!obstacle) return std::nullopt;
        return end(transaction, of, CaptureState::failed, *obstacle, context.now);
    };
    hooks.store = [](db::Transaction& transaction, const Subject& of, std::optional<State> state,
                     const GatewayResult&, Time now) {
        Capture after = *of.capture;
        if (state) payments::advance(after, state_of(*state));
        keep(transaction, *of.capture, after, of.payment, now);
    };
    hooks.close = [](db::Transaction& transaction, const StepContext& context, Subject& of,
                     const GatewayResult& answer) {
        return end(transaction, of, CaptureState::failed, answer.note, context.now);
    };
    hooks.settled = [](db::Transaction&, const Subject& of, Time) {
        return payments::is_final(of.capture->state) ? std::optional(of.capture->note)
                                                     : std::nullopt;
    };
    return hooks;
}

// The part of `moved`, all that was captured of the payment, that is this capture's.
std::int64_t own_part(db::Transaction& transaction, const Subject& subject, const Money& moved) {
    const auto captures = payments::captures_of(transaction, subject.payment);
    const std::int64_t earlier = payments::sum_of_succeeded(captures);
    return std::min(moved.minor - earlier, subject.capture->amount);
}

// The reason why a reported amount cannot be this capture's; `part`: the capture's share of it.
std::optional<Review> doubt_about(const Subject& subject, const Money& moved, std::int64_t part) {
    if (subject.call.reference != subject.payment.reference) {
        return Review{fmt::format("the gateway names {}, and the payment is {}",
                                  subject.call.reference, subject.payment.reference)};
    }
    const bool own_currency = moved.currency == subject.payment.amount.currency;
    if (own_currency && part > 0) return std::nullopt;
    if (own_currency) return Review{"the gateway reports no more than the captures before it"};
    return Review{fmt::format("the gateway captured {} {}, the order is in {}",
                              to_decimal_text(moved), moved.currency.code(),
                              subject.payment.amount.currency.code())};
}

// One credit, whether the answer or a webhook was first.
Next settle(db::Transaction& transaction, const StepContext& context, const Subject& subject,
            const WorkflowDeps& parts) {
    if (!subject.call.moved || subject.call.moved->minor <= 0) {
        return Review{"the gateway reports the capture as executed, without an amount"};
    }
    const Money moved = *subject.call.moved;
    const std::int64_t part = own_part(transaction, subject, moved);
    if (auto doubt = doubt_about(subject, moved, part)) return *doubt;
    if (auto review = credit(transaction, subject.payment, moved, parts, context.now)) {
        return *review;
    }
    Payment payment = subject.payment;
    take_capturable(payment, moved, subject.call.capturable);
    payment = bring_to_sums(transaction, subject.payment, payment, context.now);
    Capture after = *subject.capture;
    payments::advance(after, CaptureState::succeeded);
    after.note = part < after.amount ? "the gateway captured less than was asked for" : "";
    after.reference = subject.call.reference;
    after.amount = part;
    keep(transaction, *subject.capture, after, payment, context.now);
    signal_charge(transaction, payment, after, context.now);
    return Finish{"captured"};
}

}  // namespace

Workflow capture_payment(const WorkflowDeps& parts) {
    Workflow workflow = call_workflow(capture_payment_name, capture_hooks(parts), settle, parts);
    workflow.on_review = [](db::Transaction& transaction, const StepContext& context,
                            const std::string& why) {
        end(transaction, load(transaction, context.run), CaptureState::needs_review, why,
            context.now);
    };
    return workflow;
}

void start_capture(db::Transaction& transaction, const payments::Capture& capture,
                   const payments::Payment& payment, Time now) {
    start_call(transaction,
               {capture_payment_name, "capture", capture.id, capture.key, payment.gateway,
                capture.correlation_id},
               now);
}

}  // namespace pawl::workflows
