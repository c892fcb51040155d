#include "intents/accept/batch_processor.hpp"

#include <algorithm>
#include <span>

#include "base/json.hpp"
#include "base/keys.hpp"
#include "intents/accept/entries.hpp"
#include "intents/accept/notices.hpp"
#include "ledger/decide.hpp"

namespace pawl::intents {
namespace {

using ledger::Outcome;
using providers::Event;

// The longest time between two evaluations of a parked event, unless it is released before.
constexpr Duration reevaluate_within = std::chrono::hours(1);

Origin origin_of(const Submission& submission, const BatchContext& context) {
    Origin origin{submission.provider, submission.books, submission.correlation_id,
                  submission.delivery.received_at};
    const auto stored = context.delivery_ids.find(&submission);
    if (stored != context.delivery_ids.end()) origin.delivery_id = stored->second;
    return origin;
}

EventResult duplicate_result(const EventId& id, Intent& intent) {
    ++intent.more_deliveries;
    const bool open = intent.outcome == Outcome::pending;
    return {id, intent.outcome, intent.note, true, open && intent.leased};
}

std::string keys_of(Posted posted) {
    json::Writer out;
    out.begin_object().key("effect_keys").begin_array();
    for (const ledger::Transfer* one : posted) out.string(one->effect_key.str());
    out.end_array().end_object();
    return out.take();
}

// The root of a payment whose reference is not known yet is only a beginning.
bool is_under(const EffectKey& root, const EffectKey& key) {
    return root.str().ends_with('/') ? key.str().starts_with(root.str()) : stem_of(key) == root;
}

ledger::Turn turn_now(const Origin& origin, const Event& event, ledger::Book& book) {
    const ledger::Ordering ordering = ordering_of(event);
    if (!ledger::takes_place(ordering)) return ledger::Turn::none;
    return ledger::turn_of(ordering, book.stream({origin.books, event.sequence_rule.scope}));
}

}  // namespace

EventResult BatchProcessor::take(const Submission& submission, const Event& event) {
    EventResult answer = submission.resumed ? resume(submission, event) : claim(submission, event);
    release();
    return answer;
}

// The transfer names the event by the key of its row.
const Event& BatchProcessor::under(const EventId& id, const Event& event) {
    if (id == event.event_id) return event;
    Event& moved = context_.released.emplace_back(event);
    moved.event_id = id;
    return moved;
}

EventResult BatchProcessor::claim(const Submission& submission, const Event& sent) {
    const Slot slot = slot_of(context_, submission.provider, sent);
    const IntentKey key{submission.provider, slot.id};
    Intent& intent = context_.intents[key];
    const bool first = !intent.stored && !intent.decided;
    if (slot.conflict && first) return keep_conflict(submission, sent, key, intent);
    const bool take_over = !slot.conflict && intent.stored && !intent.decided && !intent.leased &&
                           intent.outcome == Outcome::pending &&
                           !context_.paused.contains(submission.provider);
    if (!first && !take_over) return duplicate_result(slot.id, intent);
    if (take_over) ++intent.more_deliveries;
    const Event& event = under(slot.id, sent);
    settle(origin_of(submission, context_), event, key, intent);
    return {slot.id, intent.outcome, intent.note, false};
}

// Only the holder of the lease may write; a row that another worker finished stays as it is.
EventResult BatchProcessor::resume(const Submission& submission, const Event& event) {
    const IntentKey key{submission.provider, event.event_id};
    Intent& intent = context_.intents[key];
    const Resumed& resumed = *submission.resumed;
    const bool open = intent.outcome == Outcome::pending || intent.outcome == Outcome::parked ||
                      (resumed.even_finished && intent.outcome == Outcome::quarantined);
    if (!intent.stored || intent.decided || intent.fencing_token != resumed.fencing_token ||
        !open) {
        return {event.event_id, intent.outcome, intent.note, false, false, true};
    }
    settle(origin_of(submission, context_), event, key, intent, &resumed);
    return {event.event_id, intent.outcome, intent.note, false};
}

// The same id with other bytes and other content is a mistake or an attack. It is stored in a
// separate row, quarantined for an operator, and moves nothing.
EventResult BatchProcessor::keep_conflict(const Submission& submission, const Event& event,
                                          const IntentKey& key, Intent& intent) {
    Resumed give_up;
    give_up.give_up = "id_conflict";
    settle(origin_of(submission, context_), event, key, intent, &give_up);
    return {key.second, intent.outcome, intent.note, false};
}

ledger::Applied BatchProcessor::decide(const Origin& origin, const Event& event,
                                       const Resumed* resumed) {
    const auto quarantined = [](const std::string& reason) {
        return ledger::Applied{Outcome::quarantined, reason, {}, {}, {}};
    };
    if (resumed != nullptr && !resumed->give_up.empty()) return quarantined(resumed->give_up);
    if (!event.quarantine.empty()) return quarantined(event.quarantine);
    if (!event.note.empty()) return {Outcome::ignored, event.note, {}, {}, {}};
    if (resumed == nullptr && context_.paused.contains(origin.provider)) {
        return {Outcome::pending, "provider paused", {}, {}, {}};
    }
    const ledger::OperatorOverride overrides =
        resumed == nullptr ? ledger::OperatorOverride{} : resumed->overrides;
    if (overrides.skip_sequence) skip_gap(origin, event);
    if (auto handed = hand_to_workflow(origin, event)) return *handed;
    if (keys_another_payment(event) && overrides.check != "effect_conflict") {
        return quarantined("effect_conflict");
    }
    return post(entry_of(origin, event), overrides);
}

// An operator has decided that the numbers before this one will not come.
void BatchProcessor::skip_gap(const Origin& origin, const Event& event) {
    if (turn_now(origin, event, context_.book) != ledger::Turn::early) return;
    ledger::SequenceState& stream = context_.book.stream({origin.books, event.sequence_rule.scope});
    stream.last = Sequence{event.sequence->value - 1};
    stream.touched = true;
}

// A payment that was posted under the key of an earlier version of its rule continues under it; so
// does one that a parked event waits for, or a run makes.
bool BatchProcessor::continues_under(const providers::FormerKey& one, const Event& event) const {
    const ledger::Book& book = context_.book;
    if (book.met_by(one.key) != nullptr) return false;
    const EffectKey stem = stem_of(one.former);
    const bool root_is_posted = is_capture(one.former) && book.met_by(stem) != nullptr;
    if (root_is_posted || book.met_by(one.former) != nullptr) return true;
    const auto& waits = context_.waits.effects;
    for (const EffectKey& met : needs_met_by(one.former)) {
        const auto waits_for = waits.lower_bound(EffectWait{met, {}});
        if (waits_for != waits.end() && waits_for->first.effect == met) return true;
    }
    const auto signaled = context_.signaled_payments.find(event.signal_key);
    return !event.signal_key.empty() && signaled != context_.signaled_payments.end() &&
           is_under(signaled->second.root, one.former) && !is_under(signaled->second.root, one.key);
}

const Event& BatchProcessor::under_former_keys(const Event& event) {
    Event* moved = nullptr;
    for (const providers::FormerKey& one : event.formerly) {
        if (!continues_under(one, event)) continue;
        if (moved == nullptr) moved = &context_.released.emplace_back(event);
        providers::use_former(*moved, one);
    }
    return moved == nullptr ? event : *moved;
}

void BatchProcessor::settle(const Origin& origin, const Event& read, const IntentKey& key,
                            Intent& intent, const Resumed* resumed) {
    const Event& event = under_former_keys(read);
    const bool early = turn_now(origin, event, context_.book) == ledger::Turn::early;
    const Outcome before = intent.outcome;
    const std::size_t transfers_before = context_.book.new_transfers().size();
    ledger::Applied applied = resumed != nullptr && resumed->dismiss
                                  ? ledger::apply(ledger::Dismiss{intent.note},
                                                  entry_of(origin, event), now_, context_.book)
                                  : decide(origin, event, resumed);
    wait_for_effect(origin, event, key, applied, intent);

    if (!intent.stored) {
        intent.fingerprint = event.fingerprint;
        intent.body_sha256 = event.body_sha256;
        intent.segment = context_.segment;
    }
    intent.outcome = applied.outcome;
    intent.note = applied.note;
    intent.moved = applied.moved;
    intent.effect_key = applied.effect_key;
    intent.account = applied.account;
    intent.decided = true;
    intent.origin = origin;
    intent.event = &event;
    intent.wake_at.reset();
    wait_or_not(origin, event, key, applied, early, intent);
    const auto posted = std::span(context_.book.new_transfers()).subspan(transfers_before);
    stage_notices({origin, event, applied, posted}, before, context_.jobs);
    intent.result = posted.size() > 1 ? keys_of(posted) : "";
    signal_run(origin, event, applied);
    mark_dispute(origin, event, applied);
    if (!posted.empty()) wake_under_both(event);

    if (takes_place(event)) {
        moved_.emplace_back(origin.books, event.sequence_rule.scope);
    }
}

// Events are parked on the key that their rule named when they arrived.
void BatchProcessor::wake_under_both(const Event& event) {
    for (const providers::FormerKey& one : event.formerly) {
        for (const EffectKey& key : {one.key, one.former}) {
            const std::vector<EffectKey> met = needs_met_by(key);
            posted_.insert(posted_.end(), met.begin(), met.end());
        }
    }
}

// Past its deadline it is quarantined and waits all the same: the transaction that posts its need
// evaluates it again.
void BatchProcessor::wait_for_effect(const Origin& origin, const Event& event, const IntentKey& key,
                                     ledger::Applied& applied, Intent& intent) {
    const auto& need = applied.waits_for_effect;
    const bool waited = intent.outcome == Outcome::parked || intent.outcome == Outcome::ignored;
    const bool still_waits = waited && intent.waits_for == need;
    if (!still_waits && intent.waits_for) {
        const EffectWait left{*intent.waits_for, key};
        context_.waits.effects.erase(left);
        context_.new_effect_waits.erase(left);
        if (intent.stored) context_.gone_effect_waits.insert(left);
    }
    if (!still_waits) {
        intent.waits_for = need;
        intent.waits_since = now_;
        if (need) context_.new_effect_waits.insert({*need, key});
    }
    if (!need) return;
    context_.waits.effects[{*need, key}] = {origin, event};
    const bool too_late = now_ - intent.waits_since >= event.needs_deadline &&
                          !context_.paused.contains(origin.provider);
    if (!too_late || applied.outcome != Outcome::parked) return;
    applied.outcome = Outcome::quarantined;
    applied.note = "needs_timeout";
}

void BatchProcessor::clear_turn(const Origin& origin, const Event& event, const IntentKey& key,
                                bool stored) {
    if (!takes_place(event)) return;
    const TurnKey turn{{origin.books, event.sequence_rule.scope}, *event.sequence, key};
    context_.waits.turns.erase(turn);
    context_.new_turn_waits.erase(turn);
    if (stored) context_.gone_turns.insert(turn);
}

void BatchProcessor::wait_or_not(const Origin& origin, const Event& event, const IntentKey& key,
                                 const ledger::Applied& applied, bool early, Intent& intent) {
    clear_turn(origin, event, key, intent.stored);
    if (applied.outcome == Outcome::pending) intent.wake_at = now_;  // as soon as it is not paused
    if (applied.outcome == Outcome::parked) intent.wake_at = now_ + reevaluate_within;
    if (applied.waits_for_effect && intent.wake_at) {
        intent.wake_at = std::min(*intent.wake_at, intent.waits_since + event.needs_deadline);
    }
    if (!takes_place(event)) return;
    const TurnKey turn{{origin.books, event.sequence_rule.scope}, *event.sequence, key};
    ledger::SequenceState& stream = context_.book.stream(turn.stream);
    const bool keeps_place = early && ledger::is_done(applied.outcome) &&
                             event.order != providers::OrderingPolicy::strict &&
                             stream.last < event.sequence;
    if (!applied.waits_for_turn && !keeps_place) return;
    if (!stream.gap_since) {
        stream.gap_since = now_;
        stream.touched = true;
    }
    context_.gone_turns.erase(turn);
    if (keeps_place) {
        context_.new_places.insert(turn);
        context_.waits.turns[turn] = {origin, std::nullopt};
    } else {
        context_.new_turn_waits.insert(turn);
        context_.waits.turns[turn] = {origin, event};
    }
}

// Releasing: events parked on a newly posted effect, or on the number that has just had its turn,
// are decided in the same transaction, and then the events parked on those.

void BatchProcessor::release() {
    while (!posted_.empty() || !moved_.empty()) {
        if (!posted_.empty()) {
            const EffectKey effect = std::move(posted_.front());
            posted_.pop_front();
            release_by(effect);
        } else {
            const ledger::SequenceKey stream = std::move(moved_.front());
            moved_.pop_front();
            follow(stream);
        }
    }
}

void BatchProcessor::release_by(const EffectKey& effect) {
    auto& effects = context_.waits.effects;
    std::vector<std::pair<IntentKey, Waiter>> released;
    auto at = effects.lower_bound(EffectWait{effect, {}});
    while (at != effects.end() && at->first.effect == effect) {
        released.emplace_back(at->first.intent, std::move(at->second));
        at = effects.erase(at);
    }
    // An event that still has nothing to return waits again.
    for (const auto& [key, waiter] : released) release_one(key, waiter);
}

// Releases the events whose number has come, in order. A parked event blocks those after it.
void BatchProcessor::follow(const ledger::SequenceKey& key) {
    auto& turns = context_.waits.turns;
    for (;;) {
        ledger::SequenceState& stream = context_.book.stream(key);
        const auto found = turns.lower_bound(TurnKey{key, Sequence{INT64_MIN}, {}});
        if (found == turns.end() || found->first.stream != key) return;
        const TurnKey turn = found->first;
        const bool has_come = stream.last && (turn.sequence <= *stream.last ||
                                              ledger::follows(turn.sequence, *stream.last));
        if (!has_come) {
            if (!stream.gap_since) {
                stream.gap_since = now_;
                stream.touched = true;
            }
            return;
        }
        const Waiter waiter = std::move(found->second);
        turns.erase(found);
        if (waiter.event) {
            release_one(turn.intent, waiter);
            continue;
        }
        // Dealt with when it came; it only kept its place.
        if (context_.new_places.erase(turn) == 0) context_.gone_turns.insert(turn);
        if (turn.sequence <= *stream.last) continue;
        stream.last = turn.sequence;
        stream.gap_since.reset();
        stream.touched = true;
    }
}

void BatchProcessor::release_one(const IntentKey& key, const Waiter& waiter) {
    Intent& intent = context_.intents[key];
    const bool waits_all_the_same =
        intent.waits_for && (intent.outcome == ledger::Outcome::quarantined ||
                             intent.note == ledger::nothing_to_return);
    if (intent.outcome != ledger::Outcome::parked && !waits_all_the_same) return;
    context_.released.push_back(*waiter.event);
    settle(waiter.origin, context_.released.back(), key, intent);
}

// Workflows and disputes of an event, and entries without an event.

using ledger::Outcome;
using providers::Action;
using providers::Event;

namespace {

// Returns the initial state of a run that an event starts.
std::string state_of(const Origin& origin, const Event& event) {
    json::Writer state;
    state.begin_object().member("order", event.object).member("account", event.account);
    state.member("provider", origin.provider.str());
    state.member("event_id", event.event_id.str()).member("type", event.type).end_object();
    return state.take();
}

}  // namespace

std::optional<ledger::Applied> BatchProcessor::hand_to_workflow(const Origin& origin,
                                                                const Event& event) {
    if (event.action == Action::signal) {
        if (!context_.unknown_signal_keys.contains(event.signal_key)) {
            return ledger::Applied{Outcome::started, "", {}, {}, {}};
        }
        return ledger::Applied{Outcome::quarantined, "no_run", {}, {}, {}};
    }
    if (event.action != Action::start) return std::nullopt;
    workflows::NewRun run;
    run.workflow = event.workflow;
    run.key = event.start_key.str();
    run.state = state_of(origin, event);
    run.correlation_id = origin.correlation_id;
    context_.starts.push_back(std::move(run));
    return ledger::Applied{Outcome::started, "", {}, {}, {}};
}

// Signals the run of this payment, whatever the cause of the movement.
void BatchProcessor::signal_run(const Origin& origin, const Event& event,
                                const ledger::Applied& applied) {
    if (event.signal_key.empty() || !ledger::is_done(applied.outcome)) return;
    if (applied.outcome == Outcome::dismissed) return;
    workflows::NewSignal signal;
    signal.key = event.signal_key;
    signal.says = {event.type, event.object, {}, origin.provider, event.event_id};
    // The amount of a return is none that the run has moved: without one it asks the gateway.
    const bool returns = event.unmet == providers::Unmet::ignore;
    if (!event.movements.empty() && !returns) {
        signal.says.amount = event.movements.front().amount;
    }
    context_.signals.push_back(std::move(signal));
}

// The payment of the first need, whether or not money moved.
void BatchProcessor::mark_dispute(const Origin& origin, const Event& event,
                                  const ledger::Applied& applied) {
    if (event.dispute == providers::Dispute::none || event.needs.empty()) return;
    if (!ledger::is_done(applied.outcome) || !event.note.empty()) return;
    if (applied.outcome == Outcome::dismissed) return;
    const EffectKey& need = event.needs.front();
    const ledger::Transfer* met = context_.book.met_by(need);
    DisputeMark mark{origin.books,
                     event.object,
                     stem_of(need),
                     event.dispute,
                     event.occurred_at.value_or(origin.received_at),
                     origin.correlation_id,
                     origin.provider,
                     event.event_id};
    if (!is_capture(need) && met != nullptr) mark.payment_key = met->payment_key;
    context_.disputes.push_back(std::move(mark));
}

// A credit of a payment that Pawl's own run makes has the run's key, or both would count.
bool BatchProcessor::keys_another_payment(const Event& event) const {
    const auto signaled = context_.signaled_payments.find(event.signal_key);
    if (event.signal_key.empty() || signaled == context_.signaled_payments.end()) return false;
    return std::any_of(event.movements.begin(), event.movements.end(), [&](const auto& movement) {
        return movement.kind == Action::credit && event.needs.empty() &&
               (!is_under(signaled->second.root, movement.effect_key) ||
                movement.account != signaled->second.account);
    });
}

ledger::Applied BatchProcessor::post(ledger::Entry entry,
                                     const ledger::OperatorOverride& overrides) {
    const std::size_t transfers_before = context_.book.new_transfers().size();
    const auto decision = ledger::decide(entry, context_.book, overrides);
    ledger::Applied applied = ledger::apply(decision, std::move(entry), now_, context_.book);
    const auto& transfers = context_.book.new_transfers();
    for (std::size_t i = transfers_before; i < transfers.size(); ++i) {
        for (EffectKey& met : needs_met_by(transfers[i]->effect_key)) {
            posted_.push_back(std::move(met));
        }
    }
    return applied;
}

ledger::Applied BatchProcessor::take(const ledger::Entry& entry,
                                     const CorrelationId& correlation_id) {
    const std::size_t transfers_before = context_.book.new_transfers().size();
    ledger::Applied applied = post(entry, {});
    auto posted = std::span(context_.book.new_transfers()).subspan(transfers_before);
    if (!entry.announced) posted = posted.first(0);
    stage_notices(posted, applied, correlation_id, context_.jobs);
    release();
    return applied;
}

}  // namespace pawl::intents
