#include "jobs/upkeep.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "jobs/sql.hpp"

namespace pawl::jobs {
namespace {

// Pause between rounds while there is more to do, so that maintenance does not saturate the disk.
constexpr std::chrono::milliseconds breath(50);
constexpr std::chrono::seconds idle_max(60);  // when no task is due before
constexpr std::chrono::seconds statement_max(30);
// Usually a lock that was not free.
constexpr std::chrono::milliseconds pause_after_failure(60000);
// Exact up to here, then an estimate: an exact count of millions of rows has no use.
constexpr std::int64_t counted_max = 10000;

// No request waits for these statements; their locks have a much shorter timeout.
db::SessionOptions patient(db::SessionOptions options) {
    options.statement_timeout = statement_max;
    return db::named(std::move(options), "upkeep");
}

}  // namespace

Upkeep::Upkeep(std::vector<Chore> chores, db::SessionOptions session, const Clock& clock,
               Metrics& metrics)
    : clock_(clock),
      session_(patient(std::move(session))),
      loop_("upkeep", [this] { return round(); }) {
    Family<Gauge>& failures = metrics.gauge(
        "pawl_upkeep_failures",
        "Steps of a maintenance task that failed in a row; 0: the last one succeeded.", {"chore"});
    for (Chore& chore : chores) {
        Gauge& own = failures.with({chore.name});
        entries_.push_back({std::move(chore), own, ""});
    }
}

Loop::Pause Upkeep::round() {
    if (run_once(session_)) return jittered(breath, chance_);
    auto next = clock_.steady() + idle_max;
    for (const Entry& entry : entries_) next = std::min(next, entry.due);
    const auto left = std::chrono::ceil<Loop::Pause>(next - clock_.steady());
    return std::max<Loop::Pause>(left, breath);
}

bool Upkeep::run_once(db::Session& session) {
    bool more = false;
    for (Entry& entry : entries_) {
        const auto now = clock_.steady();
        if (now < entry.due || loop_.draining()) continue;
        bool again = false;
        try {
            again = entry.chore.step(session, clock_.now());
        } catch (const db::Failure& failure) {
            log_failure(entry, failure);
            entry.due = now + std::min(entry.chore.every, pause_after_failure);
            continue;
        }
        log_recovery(entry);
        if (!again) entry.due = now + entry.chore.every;
        more = more || again;
    }
    return more;
}

// A task that keeps failing fills the disk in weeks, and would fill the log in a day: it is logged
// once.
void Upkeep::log_failure(Entry& entry, const db::Failure& failure) {
    entry.failures.add(1);
    const std::string state = failure.sqlstate.empty() ? "no answer" : failure.sqlstate;
    const log::Fields about{{"task", entry.chore.name}, {"error", failure.what()}};
    if (entry.failed == state) return log::debug("maintenance task failed again", about);
    entry.failed = state;
    log::warn("maintenance task failed", about);
}

void Upkeep::log_recovery(Entry& entry) {
    if (entry.failed.empty()) return;
    entry.failures.set(0);
    entry.failed.clear();
    log::info("maintenance task recovered", {{"task", entry.chore.name}});
}

Chore measuring(Metrics& metrics) {
    Gauge& staged =
        metrics.gauge("pawl_staged_jobs", "Staged jobs that have not been enqueued.").alone();
    Family<Gauge>& jobs = metrics.gauge(
        "pawl_jobs", "Jobs by state; more than 10000 of a state are an estimate.", {"state"});
    return {"measure jobs", std::chrono::seconds(2), [&](db::Session& session, Time) {
                const sql::CountJobs count{.exact_max = counted_max};
                for (const auto row : db::Statement::run(session, count)) {
                    const std::string state(row.state());
                    const auto number = static_cast<double>(row.jobs());
                    (state == "staged" ? staged : jobs.with({state})).set(number);
                }
                return false;
            }};
}

Chore reaping(Duration kept) {
    return {"drop finished jobs", std::chrono::hours(1), [kept](db::Session& session, Time) {
                const auto seconds = std::chrono::ceil<std::chrono::seconds>(kept).count();
                const sql::DropDoneJobs drop{.seconds_since_end = seconds};
                return db::Statement::run(session, drop).only().more();
            }};
}

}  // namespace pawl::jobs
