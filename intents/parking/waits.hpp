// SQL access to parked events and their needs. Inside the caller's transaction, on the caller's
// thread.
#pragma once

#include "db/session.hpp"
#include "intents/accept/batch_context.hpp"
#include "intents/accept/lock_set.hpp"

namespace pawl::intents {

// Release limit of a transaction; the sweeper releases the rest.
inline constexpr std::int64_t releases_max = 256;

// Returns the events that the lock set may release, and their dependents.
Waits read_waits(db::Transaction& transaction, const LockSet& lock_set);

void write_waits(db::Transaction& transaction, const BatchContext& context, Time now);

}  // namespace pawl::intents
