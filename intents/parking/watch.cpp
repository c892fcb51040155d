#include "intents/parking/watch.hpp"

#include "base/log.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// The questions read everything that waits, and nobody reads the answers more often than this.
constexpr std::chrono::seconds between_looks(5);
// More lines in a log than this are read by nobody; the gauge counts all of them.
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
    const auto params = db::Params().time(now);
    for (const db::Row row : db::Statement::run(session, sql::oldest_unfinished, params)) {
        (row.text(0) == "parked" ? parked : pending) = static_cast<double>(row.number(1));
    }
    parked_oldest_.set(parked);
    unfinished_oldest_.with({"parked"}).set(parked);
    unfinished_oldest_.with({"pending"}).set(pending);
}

std::size_t Watch::find_overdue_gaps(db::Session& session, Time now) {
    std::int64_t overdue = 0;
    std::size_t alarms = 0;
    std::set<Gap> found;
    const auto params = db::Params().time(now).number(alarms_max);
    for (const db::Row row : db::Statement::run(session, sql::overdue_gaps, params)) {
        overdue = row.number(7);
        const Gap gap{{row.str(0), row.str(1)}, row.time(3)};
        found.insert(gap);
        if (alarmed_.contains(gap)) continue;
        ++alarms;
        // `pawl intents release PROVIDER EVENT` lets the stream go on without what is missing.
        log::warn("a stream has waited for a number longer than its gap_deadline",
                  {{"books", row.str(0)},
                   {"scope", row.str(1)},
                   {"last", row.null(2) ? "none" : row.str(2)},
                   {"since", to_rfc3339(gap.second)},
                   {"first_waiting", row.number(4)},
                   {"provider", row.str(5)},
                   {"event_id", row.str(6)}});
    }
    alarmed_ = std::move(found);
    gaps_overdue_.set(static_cast<double>(overdue));
    return alarms;
}

}  // namespace pawl::intents
