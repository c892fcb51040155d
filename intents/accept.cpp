#include "intents/accept.hpp"

#include "base/fault.hpp"
#include "base/json.hpp"
#include "intents/desk.hpp"
#include "intents/lock_keys.hpp"
#include "intents/store.hpp"
#include "ledger/decide.hpp"
#include "ledger/store.hpp"

namespace pawl::intents {
namespace {

using ledger::Outcome;
using providers::Event;

void read_books(db::Transaction& transaction, const Batch& batch, ledger::Book& book) {
    std::set<EffectKey> effects;
    std::set<ledger::BalanceKey> balances;
    for (const Submission* submission : batch) {
        for (const Event& event : submission->events) {
            if (!event.movement) continue;
            const auto& movement = *event.movement;
            effects.insert(movement.effect_key);
            effects.insert(movement.needs.begin(), movement.needs.end());
            if (!ledger::is_clearing(movement.account)) {
                balances.insert({movement.account, movement.amount.currency});
            }
        }
    }
    ledger::load_effects(transaction, effects, book);
    ledger::lock_balances(transaction, balances, book);
}

ledger::Applied decide_new(const Submission& submission, const Event& event, Time now,
                           Desk& desk) {
    if (!event.quarantine.empty()) return {Outcome::quarantined, event.quarantine};
    if (desk.paused.contains(submission.provider)) return {Outcome::pending, "provider paused"};
    if (event.action == providers::Action::ignore) return {Outcome::ignored, ""};
    if (!event.movement) return {Outcome::quarantined, "workflow_unknown"};
    const auto decision = ledger::decide(event, desk.book);
    return ledger::apply(decision, event, submission.provider, now, desk.book);
}

bool moved_money(Outcome outcome) {
    return outcome == Outcome::applied || outcome == Outcome::applied_late;
}

std::string job_payload(const Submission& submission, const Event& event, Outcome outcome) {
    const auto& movement = *event.movement;
    const bool debit = event.action == providers::Action::debit;
    json::Writer payload;
    payload.begin_object().member("type", debit ? "debit.applied" : "credit.applied");
    payload.member("provider", submission.provider.str()).member("event_id", event.event_id.str());
    payload.member("account", movement.account.str()).member("amount", movement.amount.minor);
    payload.member("currency", movement.amount.currency.code());
    payload.member("effect_key", movement.effect_key.str());
    payload.member("outcome", ledger::to_text(outcome)).end_object();
    return payload.take();
}

void stage_jobs(const Submission& submission, const Event& event, Outcome outcome, Desk& desk) {
    if (!moved_money(outcome) || !event.movement) return;
    for (const std::string& kind : event.jobs) {
        desk.jobs.push_back(
            {kind, job_payload(submission, event, outcome), submission.correlation_id});
    }
}

// A first sight, or one left unfinished that this delivery takes over.
EventAnswer settle(const Submission& submission, const Event& event, const EventId& id, Time now,
                   Intent& intent, Desk& desk) {
    const auto applied = decide_new(submission, event, now, desk);
    intent.outcome = applied.outcome;
    intent.note = applied.note;
    intent.decided = true;
    intent.submission = &submission;
    intent.event = &event;
    if (!intent.stored) {
        intent.fingerprint = event.fingerprint;
        intent.body_sha256 = event.body_sha256;
    }
    stage_jobs(submission, event, applied.outcome, desk);
    return {id, intent.outcome, intent.note, false};
}

EventAnswer answer_again(const EventId& id, Intent& intent) {
    ++intent.more_deliveries;
    return {id, intent.outcome, intent.note, true};
}

// The same id with other bytes and other content is somebody's mistake or attack: it keeps a row
// of its own, where a person will see it, and moves nothing.
EventAnswer keep_conflict(const Submission& submission, const Event& event, Desk& desk) {
    const EventId id = conflict_id(event);
    Intent& intent = desk.intents[{submission.provider, id}];
    if (intent.stored || intent.decided) return answer_again(id, intent);
    intent.outcome = Outcome::quarantined;
    intent.note = "id_conflict";
    intent.fingerprint = event.fingerprint;
    intent.body_sha256 = event.body_sha256;
    intent.decided = true;
    intent.submission = &submission;
    intent.event = &event;
    return {id, intent.outcome, intent.note, false};
}

EventAnswer claim(const Submission& submission, const Event& event, Time now, Desk& desk) {
    Intent& intent = desk.intents[{submission.provider, event.event_id}];
    if (!intent.stored && !intent.decided) {
        return settle(submission, event, event.event_id, now, intent, desk);
    }
    const bool same = intent.fingerprint == event.fingerprint ||
                      intent.body_sha256 == event.body_sha256;
    if (!same) return keep_conflict(submission, event, desk);
    const bool unfinished = intent.outcome == Outcome::pending && !intent.leased &&
                            !intent.decided && !desk.paused.contains(submission.provider);
    if (!unfinished) return answer_again(event.event_id, intent);
    ++intent.more_deliveries;
    return settle(submission, event, event.event_id, now, intent, desk);
}

}  // namespace

EventId conflict_id(const Event& event) {
    // Sixteen hex digits tell contents of one id apart; the whole hash is in the row.
    return EventId(event.event_id.str() + "~" + event.fingerprint.substr(0, 16));
}

std::vector<IntentKey> possible_keys(const ProviderName& provider, const Event& event) {
    return {{provider, event.event_id}, {provider, conflict_id(event)}};
}

std::vector<Answer> accept(db::Transaction& transaction, const Batch& batch, Time now) {
    Desk desk;
    lock(transaction, lock_keys(batch));
    PAWL_FAULT_POINT(after_lock_before_read);
    read_intents(transaction, batch, desk);
    read_books(transaction, batch, desk.book);

    std::vector<Answer> answers;
    for (const Submission* submission : batch) {
        Answer& answer = answers.emplace_back();
        for (const Event& event : submission->events) {
            answer.push_back(claim(*submission, event, now, desk));
        }
    }

    write_deliveries(transaction, batch);
    write_intents(transaction, desk, now);
    PAWL_FAULT_POINT(after_claim_before_money);
    ledger::write(transaction, desk.book, now);
    jobs::stage(transaction, desk.jobs, now);
    PAWL_FAULT_POINT(before_commit);
    return answers;
}

}  // namespace pawl::intents
