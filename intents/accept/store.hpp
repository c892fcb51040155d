// The SQL of intents. Inside the caller's transaction, on the caller's thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "db/session.hpp"
#include "intents/accept/batch_context.hpp"
#include "intents/accept/lock_set.hpp"
#include "intents/segments/segment_filters.hpp"

namespace pawl::intents {

// Takes every lock of the batch in one statement, before anything is read: a statement that waits
// for a lock decides on the snapshot it took before it waited.
void lock(db::Transaction& transaction, const std::set<std::int64_t>& keys);

// Reads the intents of the lock set: each from the segment that is known to have it, else from the
// unsealed segments and from the sealed ones whose filters do not rule it out.
void read_intents(db::Transaction& transaction, const LockSet& lock_set, const Batch& batch,
                  const KnownSegments& known, BatchContext& context);
void write_intents(db::Transaction& transaction, const BatchContext& context, Time now);

}  // namespace pawl::intents
