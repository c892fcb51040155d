#include "intents/parking/watch.hpp"

#include "base/log.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// Minimum time between two looks, since the queries read all parked events.
constexpr std::chrono::seconds between_looks(5);
// Limit of log lines per look; the gauge counts all gaps.
constexpr std::int64_t alarms_max = 100;

}  // namespace

Watch::Watch(Metrics& metrics)
    : parked_oldest_(
          metrics.gauge("pawl_parked_oldest_seconds", "Age of the oldest parked event.").alone()),
      unfinished_oldest_(metrics.gauge("pawl_unfinished_oldest_seconds",
                                       "Age of the oldest unfinished row.", {"kind"})),
      gaps_overdue_(metrics
                        .gauge("pawl_gaps_overdue",
                               "Gaps in numbered streams that are older than their gap_deadline "
                               "and hold events back.")
                        .alone()) {}

std::size_t Watch::look(db::Session& session, Time now) {
    const bool lately = looked_at_ && now >= *looked_at_ && now - *looked_at_ < between_looks;
    if (lately) return 0;
    looked_at_ = now;
    measure_ages(session, now);
    return find_overdue_gaps(session, now);
}

void Watch::measure_ages(db::Session& session, Time now) {
    double parked = 0;
    double pending = 0;
    for (const auto row : db::Statement::run(session, sql::OldestUnfinished{.now = now})) {
        (row.status() == "parked" ? parked : pending) = static_cast<double>(row.seconds());
    }
    parked_oldest_.set(parked);
    unfinished_oldest_.with({"parked"}).set(parked);
    unfinished_oldest_.with({"pending"}).set(pending);
}

std::size_t Watch::find_overdue_gaps(db::Session& session, Time now) {
    std::int64_t overdue = 0;
    std::size_t alarms = 0;
    std::set<Gap> found;
    const sql::OverdueGaps look{.now = now, .limit_rows = alarms_max};
    for (const auto row : db::Statement::run(session, look)) {
        overdue = row.overdue();
        const Gap gap{{std::string(row.books()), std::string(row.scope())},
                      row.gap_since().value()};
        found.insert(gap);
        if (alarmed_.contains(gap)) continue;
        ++alarms;
        // `pawl intents release PROVIDER EVENT` skips the missing numbers.
        log::warn("a sequence gap exceeded its gap_deadline",
                  {{"books", row.books()},
                   {"scope", row.scope()},
                   {"last", row.last() ? std::to_string(*row.last()) : "none"},
                   {"since", to_rfc3339(gap.second)},
                   {"first_waiting", row.sequence()},
                   {"provider", row.provider()},
                   {"event_id", row.event_id()}});
    }
    alarmed_ = std::move(found);
    gaps_overdue_.set(static_cast<double>(overdue));
    return alarms;
}

}  // namespace pawl::intents
