// The SQL of intents. Inside the caller's transaction, on the caller's thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "db/session.hpp"
#include "intents/accept/desk.hpp"
#include "intents/accept/reach.hpp"
#include "intents/segments/segment_filters.hpp"

namespace pawl::intents {

// Takes every lock of the batch in one statement, before anything is read: a statement that waits
// for a lock decides on the snapshot it took before it waited.
void lock(db::Transaction& transaction, const std::set<std::int64_t>& keys);

// Each in the segment that is known to have it, or in those that take new events, and in the sealed
// ones whose filters do not deny it.
void read_intents(db::Transaction& transaction, const Reach& reach, const Batch& batch,
                  const KnownSegments& known, Desk& desk);
void write_intents(db::Transaction& transaction, const Desk& desk, Time now);

}  // namespace pawl::intents
