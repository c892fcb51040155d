// Monitor of parked events and sequence gaps: the age of the oldest event, and the gaps that are
// older than their deadline. Each such gap is logged once by this process and counted in
// `pawl_gaps_overdue` as long as it stays. Reads only; owned by the sweeper's thread.
#pragma once

#include <cstddef>
#include <set>
#include <tuple>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "db/session.hpp"
#include "ledger/sequence.hpp"

namespace pawl::intents {

class Watch {
  public:
    explicit Watch(Metrics& metrics);

    // Looks every five seconds at most, however often it is called. Returns the number of new
    // alarms. Throws db::Failure.
    std::size_t look(db::Session& session, Time now);

  private:
    void measure_ages(db::Session& session, Time now);
    std::size_t find_overdue_gaps(db::Session& session, Time now);

    using Gap = std::pair<ledger::SequenceKey, Time>;  // a stream, and since when it waits

    Gauge& parked_oldest_;
    Family<Gauge>& unfinished_oldest_;
    Gauge& gaps_overdue_;
    std::optional<Time> looked_at_;
    std::set<Gap> alarmed_;
};

}  // namespace pawl::intents
