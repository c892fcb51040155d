#include "workflows/call/pinned_call.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "base/json.hpp"
#include "base/log.hpp"
#include "ledger/book.hpp"
#include "outbound/keys.hpp"
#include "workflows/call/endings.hpp"
#include "workflows/call/recovering.hpp"
#include "workflows/crediting.hpp"
#include "workflows/engine/runs.hpp"

namespace pawl::workflows {
namespace {

using outbound::GatewayOutcome;
using outbound::GatewayResult;
using outbound::HttpResult;
using payments::State;
using Begun = std::variant<ForeignCall, Next>;

PinnedCall pinned(db::Transaction& transaction, const StepContext& context, const CallHooks& hooks,
                  const Subject& subject) {
    PinnedCall wanted;
    wanted.key = hooks.key(subject);
    if (wanted.key == subject.call.key) return subject.call;
    wanted.key_sent = outbound::key_to_send(wanted.key, subject.gateway->key_bytes_max());
    wanted.gateway = subject.payment.gateway;
    wanted.operation = hooks.step;
    wanted.call = hooks.request(subject);
    return pin(transaction, context.run, wanted, context.now);
}

bool is_movement(const Signal& signal) {
    return signal.type == movement_signal;
}

// Whether it must not be sent any more: it has ended, or a cancel was accepted.
bool is_over(const Subject& subject) {
    if (subject.capture) return payments::is_final(subject.capture->state);
    if (subject.refund) return payments::is_final(subject.refund->state);
    return subject.payment.cancel_requested || payments::is_final(subject.payment.state);
}

// An operator has reported that the call moved nothing.
bool is_forced_end(const PinnedCall& call) {
    return call.forced && call.outcome != to_text(GatewayOutcome::succeeded);
}

// The money of a call that an operator has reported as succeeded is posted: only an operator can
// take it back.
bool contradicts_force(const PinnedCall& call, const GatewayResult& answer) {
    return call.forced && !is_forced_end(call) && answer.ending != GatewayOutcome::succeeded &&
           answer.ending != GatewayOutcome::unknown;
}

// The provider or the gateway itself has shown the outcome of a call that was resolved by force.
void confirm_if_forced(db::Transaction& transaction, const PinnedCall& call) {
    if (call.forced) confirm(transaction, call.key);
}

// A call that was resolved by force as succeeded is confirmed by a report of its amount, or of the
// amount that the books have by now; any other is for an operator.
void compare_with_reports(db::Transaction& transaction, const Subject& subject,
                          const std::vector<Signal>& signals) {
    const PinnedCall& forced = subject.call;
    if (!forced.forced || is_forced_end(forced)) return;
    const payments::Payment& payment = subject.payment;
    const Money captured{payment.captured, payment.amount.currency};
    for (const Signal& signal : signals) {
        if (signal.provider.str() == ledger::operator_source || !signal.amount) continue;
        if (signal.amount == forced.moved || (!subject.refund && signal.amount == captured)) {
            confirm(transaction, forced.key);
            continue;
        }
        const auto text = [](const Money& money) {
            return fmt::format("{} {}", to_decimal_text(money), money.currency.code());
        };
        contradict(transaction, forced.key,
                   fmt::format("{}/{} reports {}, {} was resolved", signal.provider.str(),
                               signal.event_id.str(), text(*signal.amount),
                               forced.moved ? text(*forced.moved) : "nothing"));
    }
}

// Whether the books have its money.
bool has_moved(const Subject& subject) {
    if (subject.refund) return subject.refund->state == payments::RefundState::succeeded;
    return subject.is_charge() && payments::is_captured(subject.payment.state);
}

// Its money was reported after all: the books follow the report, not the operator.
void overrule(db::Transaction& transaction, const PinnedCall& call) {
    contradict(transaction, call.key, "reported as executed; it was " + call.note);
    confirm(transaction, call.key);
}

// Whether a provider reports at least what the payment has captured.
bool reports_captures(const payments::Payment& payment, const std::vector<Signal>& signals) {
    return std::any_of(signals.begin(), signals.end(), [&](const Signal& signal) {
        return signal.provider.str() != ledger::operator_source && signal.amount &&
               signal.amount->currency == payment.amount.currency &&
               signal.amount->minor >= payment.captured;
    });
}

// As it is stored now, with the same call and gateway.
Subject reload(db::Transaction& transaction, const StepContext& context, const CallHooks& hooks,
               const Subject& before) {
    Subject subject = hooks.load(transaction, context.run);
    subject.call = before.call;
    subject.gateway = before.gateway;
    return subject;
}

// A webhook that reports an amount wins over every answer. One without an amount leads to a lookup,
// as any about an authorization: only the gateway knows what is left to capture.
std::optional<Next> hear(db::Transaction& transaction, const StepContext& context,
                         const CallHooks& hooks, Subject& subject) {
    for (const Signal& signal : context.signals) {
        if (!signal.amount || (!subject.refund && subject.payment.manual_capture)) continue;
        GatewayResult reported;
        reported.ending = GatewayOutcome::succeeded;
        reported.reference = signal.reference;
        reported.moved = signal.amount;
        reported.note = "reported by " + signal.provider.str() + "/" + signal.event_id.str();
        if (is_forced_end(subject.call)) overrule(transaction, subject.call);
        record(transaction, subject.call, reported, AnswerTo::report, context.now);
        hooks.store(transaction, subject, std::nullopt, reported, context.now);
        return Go{"settle"};
    }
    if (std::any_of(context.signals.begin(), context.signals.end(), is_movement)) {
        if (auto word = hooks.settled(transaction, subject, context.now)) return Finish{*word};
        subject = reload(transaction, context, hooks, subject);
    }
    const auto said = std::find_if_not(context.signals.begin(), context.signals.end(), is_movement);
    const std::string& step = context.run.step;
    const bool asks = step == "look_up" || step == "settle" || step == "ask_first";
    const bool known = is_known_there(subject.call);
    if (said == context.signals.end() || asks || !known) return std::nullopt;
    GatewayResult hint;
    if (subject.payment.reference.empty()) hint.reference = said->reference;
    hooks.store(transaction, subject, std::nullopt, hint, context.now);
    return Go{"look_up"};
}

// Where the payer holds the secret of what was declined, the payer may try once more.
bool payer_may_act(const Subject& subject, const GatewayResult& answer) {
    return answer.ending == GatewayOutcome::declined && answer.open_there &&
           subject.payment.state == State::requires_action;
}

// Returns true if the gateway replays a success to the first send of a key: another installation
// uses the same account and keys.
bool replays_foreign_call(const GatewayResult& answer, const ForeignCall& sent) {
    const bool executed =
        answer.ending == GatewayOutcome::succeeded || answer.ending == GatewayOutcome::authorized;
    return answer.replayed && !sent.in_doubt && executed;
}

// Two charges under one key: what a webhook reports was not made by this call.
std::optional<Review> conflicting_success(const StepContext& context, const GatewayResult& answer) {
    if (answer.ending != GatewayOutcome::succeeded || answer.reference.empty()) return std::nullopt;
    for (const Signal& signal : context.signals) {
        if (!signal.amount || is_movement(signal) || signal.reference.empty()) continue;
        if (signal.reference == answer.reference) continue;
        return Review{
            fmt::format("two charges under one key: the gateway answers {}, {} reports {}",
                        answer.reference, signal.provider.str(), signal.reference)};
    }
    return std::nullopt;
}

std::optional<State> state_after(const GatewayResult& answer, AnswerTo kind) {
    if (kind == AnswerTo::cancel) return std::nullopt;
    if (answer.ending == GatewayOutcome::requires_action) return State::requires_action;
    if (answer.ending == GatewayOutcome::processing) return State::processing;
    if (answer.ending == GatewayOutcome::authorized) return State::authorized;
    // A look-up without an answer says nothing about the call.
    const bool unclear = answer.ending == GatewayOutcome::unknown && kind == AnswerTo::send;
    return unclear ? std::optional(State::unknown) : std::nullopt;
}

// `call` has been answered: the subject's own, or its cancel.
Next follow(db::Transaction& transaction, const StepContext& context, const CallHooks& hooks,
            Subject& subject, const PinnedCall& call, const GatewayResult& answer, AnswerTo kind) {
    const outbound::Gateway& gateway = *subject.gateway;
    const GatewayFacts facts{gateway.config(), kind == AnswerTo::cancel || !is_over(subject)};
    const Verdict verdict = judge(call, answer, kind, facts);
    const bool shown = verdict.act == Act::close || verdict.act == Act::settle;
    if (shown && kind != AnswerTo::cancel) confirm_if_forced(transaction, call);
    if (verdict.act == Act::close) return hooks.close(transaction, context, subject, answer);
    hooks.store(transaction, subject, state_after(answer, kind), answer, context.now);
    const std::string why = std::string(to_text(answer.ending)) + ": " + answer.note;
    const bool open = answer.ending == GatewayOutcome::requires_action ||
                      answer.ending == GatewayOutcome::processing ||
                      answer.ending == GatewayOutcome::authorized;
    switch (verdict.act) {
        case Act::settle:
            return Go{"settle"};
        case Act::send:
            return Wait{hooks.step, verdict.pause, why};
        case Act::cancel:
            return Go{"cancel"};
        case Act::look_up:
            if (open && kind != AnswerTo::cancel && hooks.give_up) {
                if (auto next = hooks.give_up(subject, answer, context.now)) return *next;
            }
            return Wait{"look_up", verdict.pause, why};
        case Act::close:
        case Act::review:
            break;
    }
    return Review{verdict.why};
}

Begun before_send(db::Transaction& transaction, const StepContext& context, const CallHooks& hooks,
                  const WorkflowDeps& parts) {
    Subject subject = read_subject(transaction, context, hooks, parts);
    if (auto next = hear(transaction, context, hooks, subject)) return *next;
    if (must_ask(transaction, subject.key(), subject.payment.order_id)) {
        return Next(Go{"ask_first"});
    }
    if (hooks.instead) {
        if (auto next = hooks.instead(transaction, context, subject)) return *next;
    }
    const PinnedCall call = pinned(transaction, context, hooks, subject);
    // A key that the gateway may have dropped is never resent: it would be a new call.
    const bool lost_send = call.sends == 0 && is_known_there(call);
    if ((call.in_doubt || lost_send) && !inside_horizon(call, subject.gateway->config())) {
        return Next(Go{"look_up"});
    }
    if (hooks.kind == AnswerTo::send) {
        hooks.store(transaction, subject, State::calling, {}, context.now);
    }
    return begin_send(transaction, call);
}

Next after_send(db::Transaction& transaction, const StepContext& context, const CallHooks& hooks,
                const WorkflowDeps& parts, const ForeignCall& sent, const HttpResult& outcome) {
    Subject subject = read_subject(transaction, context, hooks, parts);
    PinnedCall call = pinned(transaction, context, hooks, subject);
    call.in_doubt = sent.in_doubt;  // as it was before this send
    GatewayResult answer = hooks.read(subject, outcome, sent.in_doubt);
    if (payer_may_act(subject, answer)) answer.ending = GatewayOutcome::requires_action;
    parts.count(subject.payment.gateway, answer);
    record(transaction, call, answer, hooks.kind, context.now);
    if (call.key == subject.call.key) subject.call = call;
    if (auto review = conflicting_success(context, answer)) return *review;
    if (auto next = hear(transaction, context, hooks, subject)) return *next;
    if (replays_foreign_call(answer, sent)) {
        return Review{call.key +
                      ": the gateway knew this key before it was sent for the first time"};
    }
    return follow(transaction, context, hooks, subject, call, answer, hooks.kind);
}

Begun before_ask(db::Transaction& transaction, const StepContext& context, const CallHooks& hooks,
                 const WorkflowDeps& parts) {
    Subject subject = read_subject(transaction, context, hooks, parts);
    subject.call = pinned(transaction, context, hooks, subject);
    if (auto next = hear(transaction, context, hooks, subject)) return *next;
    return ask(subject.call, hooks.question_first(subject));
}

// A call that is found ends like one that was looked up; only a lookup without an answer is
// repeated here, because another does not ask for the order.
Next after_ask(db::Transaction& transaction, const StepContext& context, const CallHooks& hooks,
               const WorkflowDeps& parts, const HttpResult& outcome) {
    Subject subject = read_subject(transaction, context, hooks, parts);
    const GatewayResult answer = hooks.read_found(subject, outcome);
    record(transaction, subject.call, answer, AnswerTo::lookup, context.now);
    if (auto review = conflicting_success(context, answer)) return *review;
    if (auto next = hear(transaction, context, hooks, subject)) return *next;
    const PinnedCall& call = subject.call;
    const outbound::GatewayConfig& config = subject.gateway->config();
    if (answer.ending == GatewayOutcome::unknown) {
        const Verdict verdict = judge(call, answer, AnswerTo::lookup, {config, false});
        if (verdict.act == Act::review) return Review{verdict.why};
        return Wait{"ask_first", verdict.pause, "unknown: " + answer.note};
    }
    if (answer.ending != GatewayOutcome::not_found) {
        mark_asked(transaction, call.key);
        return follow(transaction, context, hooks, subject, call, answer, AnswerTo::lookup);
    }
    if (auto lost = hooks.lost(transaction, subject, answer)) return Review{*lost};
    const auto asking = must_ask(transaction, call.key, subject.payment.order_id);
    return after_absence(transaction, call, config, asking, hooks.step);
}

Begun before_look_up(db::Transaction& transaction, const StepContext& context,
                     const CallHooks& hooks, const WorkflowDeps& parts) {
    Subject subject = read_subject(transaction, context, hooks, parts);
    if (auto next = hear(transaction, context, hooks, subject)) return *next;
    return ask(subject.call, hooks.question(subject));
}

Next after_look_up(db::Transaction& transaction, const StepContext& context, const CallHooks& hooks,
                   const WorkflowDeps& parts, const HttpResult& outcome) {
    constexpr std::int64_t worth_a_line = 10;  // minutes of a gateway that is down
    Subject subject = read_subject(transaction, context, hooks, parts);
    GatewayResult answer = hooks.read_found(subject, outcome);
    if (payer_may_act(subject, answer)) answer.ending = GatewayOutcome::requires_action;
    if (contradicts_force(subject.call, answer)) {
        contradict(
            transaction, subject.call.key,
            fmt::format("the gateway answers {}, succeeded was resolved", to_text(answer.ending)));
        return Finish{subject.note()};
    }
    record(transaction, subject.call, answer, AnswerTo::lookup, context.now);
    if (subject.call.unanswered == worth_a_line) {
        log::warn("a payment API does not answer lookups",
                  {{"gateway", subject.payment.gateway},
                   {"key", subject.call.key},
                   {"error", answer.note},
                   {"correlation_id", context.run.correlation_id.str()}});
    }
    if (auto review = conflicting_success(context, answer)) return *review;
    if (auto next = hear(transaction, context, hooks, subject)) return *next;
    return follow(transaction, context, hooks, subject, subject.call, answer, AnswerTo::lookup);
}

Begun before_confirm(db::Transaction& transaction, const StepContext& context,
                     const CallHooks& hooks, const WorkflowDeps& parts) {
    Subject subject = read_subject(transaction, context, hooks, parts);
    if (auto next = hear(transaction, context, hooks, subject)) return *next;
    return ask(subject.call, hooks.question_about(subject, context.run.remembered("claimed")));
}

// Once, and nothing else follows from it: the operator reads what the gateway answered.
Next after_confirm(db::Transaction& transaction, const StepContext& context, const CallHooks& hooks,
                   const WorkflowDeps& parts, const HttpResult& outcome) {
    Subject subject = read_subject(transaction, context, hooks, parts);
    if (auto next = hear(transaction, context, hooks, subject)) return *next;
    const std::string claimed = context.run.remembered("claimed");
    const GatewayResult answer = hooks.read_found(subject, outcome);
    const Money& asked = subject.refund ? subject.refund->amount : subject.payment.amount;
    if (answer.ending == GatewayOutcome::authorized && answer.reference == claimed) {
        record(transaction, subject.call, answer, AnswerTo::report, context.now);
        return follow(transaction, context, hooks, subject, subject.call, answer, AnswerTo::lookup);
    }
    const bool same = answer.ending == GatewayOutcome::succeeded && answer.reference == claimed;
    const bool fits = answer.moved && answer.moved->currency == asked.currency &&
                      answer.moved->minor <= asked.minor;
    if (same && fits) {
        record(transaction, subject.call, answer, AnswerTo::report, context.now);
        return Go{"settle"};
    }
    return Review{fmt::format("resolve with {}: the gateway reports {}: {}", claimed,
                              same ? "another amount" : to_text(answer.ending), answer.note)};
}

}  // namespace

Subject read_subject(db::Transaction& transaction, const StepContext& context,
                     const CallHooks& hooks, const WorkflowDeps& parts) {
    Subject subject = hooks.load(transaction, context.run);
    const std::string& name = subject.payment.gateway;
    subject.gateway = parts.gateway(name);
    if (subject.gateway == nullptr) {
        throw std::runtime_error(
            fmt::format("no gateway {} is configured: add config/gateways/{}.toml", name, name));
    }
    if (auto call = find_call(transaction, subject.key())) subject.call = std::move(*call);
    return subject;
}

Step prepare_step(const CallHooks& hooks, const WorkflowDeps& parts) {
    return {"prepare",
            LocalStep([hooks, &parts](db::Transaction& transaction, const StepContext& context) {
                Subject subject = read_subject(transaction, context, hooks, parts);
                subject.call = pinned(transaction, context, hooks, subject);
                // Money that has moved under this key already: it is not sent for the first time.
                if (auto next = hear(transaction, context, hooks, subject)) return *next;
                return Next(Go{hooks.step});
            })};
}

Step send_step(const CallHooks& hooks, const WorkflowDeps& parts) {
    return {hooks.step,
            ForeignStep{[hooks, &parts](db::Transaction& transaction, const StepContext& context) {
                            return before_send(transaction, context, hooks, parts);
                        },
                        [&parts](const ForeignCall& call) { return parts.send(call); },
                        [hooks, &parts](db::Transaction& transaction, const StepContext& context,
                                        const ForeignCall& sent, const HttpResult& outcome) {
                            return after_send(transaction, context, hooks, parts, sent, outcome);
                        }}};
}

Step ask_first_step(const CallHooks& hooks, const WorkflowDeps& parts) {
    return {"ask_first",
            ForeignStep{[hooks, &parts](db::Transaction& transaction, const StepContext& context) {
                            return before_ask(transaction, context, hooks, parts);
                        },
                        [&parts](const ForeignCall& call) { return parts.send(call); },
                        [hooks, &parts](db::Transaction& transaction, const StepContext& context,
                                        const ForeignCall&, const HttpResult& outcome) {
                            return after_ask(transaction, context, hooks, parts, outcome);
                        }}};
}

Step look_up_step(const CallHooks& hooks, const WorkflowDeps& parts) {
    return {"look_up",
            ForeignStep{[hooks, &parts](db::Transaction& transaction, const StepContext& context) {
                            return before_look_up(transaction, context, hooks, parts);
                        },
                        [&parts](const ForeignCall& call) { return parts.send(call); },
                        [hooks, &parts](db::Transaction& transaction, const StepContext& context,
                                        const ForeignCall&, const HttpResult& outcome) {
                            return after_look_up(transaction, context, hooks, parts, outcome);
                        }}};
}

Step confirm_step(const CallHooks& hooks, const WorkflowDeps& parts) {
    return {"confirm",
            ForeignStep{[hooks, &parts](db::Transaction& transaction, const StepContext& context) {
                            return before_confirm(transaction, context, hooks, parts);
                        },
                        [&parts](const ForeignCall& call) { return parts.send(call); },
                        [hooks, &parts](db::Transaction& transaction, const StepContext& context,
                                        const ForeignCall&, const HttpResult& outcome) {
                            return after_confirm(transaction, context, hooks, parts, outcome);
                        }}};
}

Step late_news_step(const CallHooks& hooks, const WorkflowDeps& parts) {
    return {"late_news", LocalStep([hooks, &parts](db::Transaction& transaction,
                                                   const StepContext& context) -> Next {
                Subject subject = read_subject(transaction, context, hooks, parts);
                const auto word = hooks.settled(transaction, subject, context.now);
                subject = reload(transaction, context, hooks, subject);
                compare_with_reports(transaction, subject, context.signals);
                if (is_forced_end(subject.call) && has_moved(subject)) {
                    overrule(transaction, subject.call);
                }
                if (subject.is_charge() && reports_captures(subject.payment, context.signals)) {
                    confirm_captures(transaction, subject.payment);
                }
                if (word) return Finish{*word};
                if (auto next = hear(transaction, context, hooks, subject)) return *next;
                if (subject.is_charge() && subject.payment.capturable > 0) return Go{"look_up"};
                return Finish{subject.note()};
            })};
}

Workflow call_workflow(std::string_view name, const CallHooks& hooks, const Settle& settle,
                       const WorkflowDeps& parts) {
    Workflow workflow;
    workflow.name = name;
    workflow.steps = {
        prepare_step(hooks, parts),
        ask_first_step(hooks, parts),
        send_step(hooks, parts),
        {"settle", LocalStep([hooks, settle, &parts](db::Transaction& transaction,
                                                     const StepContext& context) {
             return settle(transaction, context, read_subject(transaction, context, hooks, parts),
                           parts);
         })},
        look_up_step(hooks, parts),
        confirm_step(hooks, parts),
        late_news_step(hooks, parts),
    };
    workflow.on_signal = "late_news";
    return workflow;
}

std::string state_with(std::string_view member, const std::string& id) {
    json::Writer state;
    return state.begin_object().member(member, id).end_object().take();
}

void start_call(db::Transaction& transaction, const CallRun& call, Time now) {
    NewRun run;
    run.workflow = call.workflow;
    run.key = call.key;
    run.signal_key = call.key;
    run.lane = call.gateway;
    run.step = "prepare";
    run.state = state_with(call.member, call.id);
    run.correlation_id = call.correlation_id;
    start_run(transaction, run, now);
}

}  // namespace pawl::workflows
