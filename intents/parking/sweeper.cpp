#include "intents/parking/sweeper.hpp"

#include "base/fault.hpp"
#include "base/log.hpp"
#include "intents/accept/accept.hpp"
#include "intents/accept/plan.hpp"
#include "intents/accept/quarantine_log.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// Pause after a failure, so that an unavailable database causes no busy loop.
constexpr std::chrono::seconds pause_after_failure(1);

// Claims that an event has at its first claim by the sweeper: none after it was parked, its
// delivery's own if that left it pending. One with more has failed before.
constexpr std::int64_t claims_before_first_failure = 1;
// Time per round for all events that have failed before.
constexpr std::chrono::milliseconds retry_failed_within(250);

Submission to_submission(const sql::ClaimUnfinished::Row& row, std::int64_t attempts_max) {
    Submission submission;
    submission.provider = ProviderName(std::string(row.provider()));
    submission.correlation_id = CorrelationId(std::string(row.correlation_id()));
    submission.delivery.received_at = row.received_at();
    submission.resumed = Resumed{row.lease(), {}, false, "", row.segment()};
    providers::Event event;
    const auto stored = row.plan();
    auto plan = stored ? plan_from_json(*stored) : Result<Plan>(invalid("there is no plan"));
    if (plan) {
        submission.books = plan->books;
        event = std::move(plan->event);
    } else {
        submission.resumed->give_up = "plan_unreadable";
    }
    if (row.attempts() > attempts_max) submission.resumed->give_up = "attempts_exhausted";
    event.event_id = EventId(std::string(row.event_id()));
    event.type = row.event_type();
    event.fingerprint = row.fingerprint();
    event.body_sha256 = row.body_sha256();
    submission.events.push_back(std::move(event));
    return submission;
}

}  // namespace

Sweeper::Sweeper(SweeperOptions options, db::SessionOptions session, const Clock& clock,
                 Metrics& metrics)
    : options_(std::move(options)),
      clock_(clock),
      stale_writes_(metrics
                        .counter("pawl_stale_writes_rejected_total",
                                 "Writes refused because another worker had taken the lease.")
                        .alone()),
      watch_(metrics),
      session_(db::named(std::move(session), "sweeper")),
      loop_(
          "sweeper", [this] { return sweep(); }, pause_after_failure) {}

Loop::Pause Sweeper::sweep() {
    const std::size_t claimed = run_once(session_);
    if (claimed > 0 && options_.on_commit) options_.on_commit();
    watch_.look(session_, clock_.now());
    // A release may have released more events: another round follows, until no event is due.
    return claimed > 0 ? Loop::Pause::zero() : options_.interval;
}

std::size_t Sweeper::run_once(db::Session& session) {
    const std::vector<Submission> fresh =
        claim(session, options_.claim_max, {0, claims_before_first_failure});
    if (!fresh.empty()) {
        PAWL_FAULT_POINT(sweeper_after_claim);
        finish(session, fresh);
    }
    return fresh.size() + retry_failed(session);
}

// Runs one event per transaction, so that an event that crashes the process costs the others no
// attempt. Stops after retry_failed_within, since new events come first.
std::size_t Sweeper::retry_failed(db::Session& session) {
    const auto until = clock_.steady() + retry_failed_within;
    std::size_t tried = 0;
    while (tried < static_cast<std::size_t>(options_.claim_max) && clock_.steady() <= until &&
           !loop_.draining()) {
        const auto suspect = claim(session, 1, {claims_before_first_failure + 1, INT32_MAX});
        if (suspect.empty()) break;
        finish_one(session, suspect.front());
        ++tried;
    }
    return tried;
}

std::vector<Submission> Sweeper::claim(db::Session& session, std::int64_t at_most,
                                       std::pair<std::int64_t, std::int64_t> attempts) {
    std::vector<Submission> claimed;
    const sql::ClaimUnfinished statement{.now = clock_.now(),
                                         .claim_max = at_most,
                                         .lease_seconds = options_.lease.count(),
                                         .attempts_from = attempts.first,
                                         .attempts_to = attempts.second};
    for (const auto row : db::Statement::run(session, statement)) {
        claimed.push_back(to_submission(row, options_.attempts_max));
    }
    return claimed;
}

// Finishes the events in one transaction; if that fails, each in its own.
void Sweeper::finish(db::Session& session, const std::vector<Submission>& claimed) {
    Batch batch;
    for (const Submission& one : claimed) batch.push_back(&one);
    try {
        note(batch, accept_and_commit(session, batch, clock_.now()));
    } catch (const db::Failure& failure) {
        if (failure.kind == db::FailureKind::unreachable) throw;
        for (const Submission& one : claimed) finish_one(session, one);
    }
}

// Quarantines at once an event whose data the database refuses. After any other failure the lease
// runs until it expires; the attempts are counted.
void Sweeper::finish_one(db::Session& session, const Submission& claimed) {
    try {
        note({&claimed}, accept_and_commit(session, {&claimed}, clock_.now()));
    } catch (const db::Failure& failure) {
        if (failure.kind == db::FailureKind::unreachable) throw;
        log::warn("an event could not be finished",
                  {{"provider", claimed.provider.str()},
                   {"event_id", claimed.events.front().event_id.str()},
                   {"error", failure.what()}});
        if (failure.kind != db::FailureKind::data || !claimed.resumed->give_up.empty()) return;
        Submission given_up = claimed;
        given_up.resumed->give_up = "unstorable";
        finish_one(session, given_up);
    }
}

void Sweeper::note(const Batch& batch, const std::vector<DeliveryResult>& answers) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const EventResult& result = answers[i].front();
        if (result.stale_write) stale_writes_.add();
        log_if_quarantined(batch[i]->provider, result);
    }
}

}  // namespace pawl::intents
