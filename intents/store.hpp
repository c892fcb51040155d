// The SQL of intents and deliveries. Inside the caller's transaction, on the caller's thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "db/session.hpp"
#include "intents/desk.hpp"
#include "intents/reach.hpp"
#include "intents/segment_filters.hpp"

namespace pawl::intents {

// Takes every lock of the batch in one statement, before anything is read: a statement that waits
// for a lock decides on the snapshot it took before it waited.
void lock(db::Transaction& transaction, const std::set<std::int64_t>& keys);

// Each in the segment that is known to have it, or in those that take new events, and in the sealed
// ones whose filters do not deny it.
void read_intents(db::Transaction& transaction, const Reach& reach, const Batch& batch,
                  const KnownSegments& known, Desk& desk);
// Stores the deliveries whose bytes are not known yet; their numbers go to the desk.
void write_deliveries(db::Transaction& transaction, const Batch& batch, Desk& desk);
void write_intents(db::Transaction& transaction, const Desk& desk, Time now);

// After the decisions: a copy of each delivery that has bytes of an unfinished event, its first or
// others, and which of them brought an event again with other bytes.
void keep_open_deliveries(db::Transaction& transaction, const Batch& batch, const Desk& desk);
void write_redeliveries(db::Transaction& transaction, const Batch& batch, const Desk& desk);

}  // namespace pawl::intents
