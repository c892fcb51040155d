#include "intents/sweeper.hpp"

#include <pthread.h>

#include "base/fault.hpp"
#include "base/log.hpp"
#include "intents/accept.hpp"
#include "intents/plan.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// After a failure: long enough not to spin on a database that is away.
constexpr std::chrono::seconds pause_after_failure(1);

Submission to_submission(const db::Row& row, std::int64_t attempts_max) {
    Submission submission;
    submission.provider = ProviderName(row.str(0));
    submission.correlation_id = CorrelationId(row.str(6));
    submission.delivery.received_at = row.time(7);
    submission.resumed = Resumed{row.number(8), {}, false, ""};
    providers::Event event;
    auto plan =
        row.null(5) ? Result<Plan>(invalid("there is no plan")) : plan_from_json(row.text(5));
    if (plan) {
        submission.books = plan->books;
        event = std::move(plan->event);
    } else {
        submission.resumed->give_up = "plan_unreadable";
    }
    if (row.number(9) > attempts_max) submission.resumed->give_up = "attempts_exhausted";
    event.event_id = EventId(row.str(1));
    event.type = row.str(2);
    event.fingerprint = row.str(3);
    event.body_sha256 = row.str(4);
    submission.events.push_back(std::move(event));
    return submission;
}

}  // namespace

Sweeper::Sweeper(SweeperOptions options, db::SessionOptions session, const Clock& clock,
                 Metrics& metrics)
    : options_(options),
      session_options_(std::move(session)),
      clock_(clock),
      stale_writes_(metrics
                        .counter("pawl_stale_writes_rejected_total",
                                 "Writes by workers whose lease somebody else had taken.")
                        .alone()),
      parked_oldest_(
          metrics.gauge("pawl_parked_oldest_seconds", "Age of the oldest parked event.").alone()),
      unfinished_oldest_(metrics.gauge("pawl_unfinished_oldest_seconds",
                                       "Age of the oldest unfinished row.", {"kind"})) {}

Sweeper::~Sweeper() {
    stop();
}

void Sweeper::start() {
    thread_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "sweeper");
        run();
    });
}

void Sweeper::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Sweeper::run() {
    db::SessionOptions options = session_options_;
    options.name = "sweeper";
    options.finds_by_key = true;
    db::Session session(std::move(options));
    for (;;) {
        std::chrono::milliseconds pause = options_.interval;
        try {
            // A round that was full is followed by the next at once.
            if (run_once(session) == static_cast<std::size_t>(options_.claim_max)) pause = {};
        } catch (const db::Failure& failure) {
            log::debug("a sweep failed", {{"why", failure.what()}});
            pause = pause_after_failure;
        }
        std::unique_lock lock(mutex_);
        if (wake_.wait_for(lock, pause, [this] { return stopping_; })) return;
    }
}

std::size_t Sweeper::run_once(db::Session& session) {
    measure(session);
    const std::vector<Submission> claimed = claim(session);
    if (claimed.empty()) return 0;
    PAWL_FAULT_POINT(sweeper_after_claim);
    finish(session, claimed);
    return claimed.size();
}

std::vector<Submission> Sweeper::claim(db::Session& session) {
    std::vector<Submission> claimed;
    const auto params =
        db::Params().time(clock_.now()).number(options_.claim_max).number(options_.lease.count());
    for (const db::Row row : db::Statement::run(session, sql::claim_unfinished, params)) {
        claimed.push_back(to_submission(row, options_.attempts_max));
    }
    return claimed;
}

// All at once where it can be; where one of them spoils it, each by itself.
void Sweeper::finish(db::Session& session, const std::vector<Submission>& claimed) {
    Batch batch;
    for (const Submission& one : claimed) batch.push_back(&one);
    try {
        note(accept_and_commit(session, batch, clock_.now()));
    } catch (const db::Failure& failure) {
        if (failure.kind == db::FailureKind::unreachable) throw;
        for (const Submission& one : claimed) finish_one(session, one);
    }
}

// One that cannot be finished keeps its lease until it runs out; its attempts are counted.
void Sweeper::finish_one(db::Session& session, const Submission& claimed) {
    try {
        note(accept_and_commit(session, {&claimed}, clock_.now()));
    } catch (const db::Failure& failure) {
        if (failure.kind == db::FailureKind::unreachable) throw;
        log::warn("an event could not be finished",
                  {{"provider", claimed.provider.str()},
                   {"event_id", claimed.events.front().event_id.str()},
                   {"why", failure.what()}});
    }
}

void Sweeper::note(const std::vector<Answer>& answers) {
    for (const Answer& answer : answers) {
        if (answer.front().stale_write) stale_writes_.add();
    }
}

void Sweeper::measure(db::Session& session) {
    double parked = 0;
    double pending = 0;
    const auto params = db::Params().time(clock_.now());
    for (const db::Row row : db::Statement::run(session, sql::oldest_unfinished, params)) {
        (row.text(0) == "parked" ? parked : pending) = static_cast<double>(row.number(1));
    }
    parked_oldest_.set(parked);
    unfinished_oldest_.with({"parked"}).set(parked);
    unfinished_oldest_.with({"pending"}).set(pending);
}

}  // namespace pawl::intents
