// The SQL of waiting: who waits for what, read and written. Inside the caller's transaction, on the
// caller's thread.
#pragma once

#include "db/session.hpp"
#include "intents/accept/desk.hpp"
#include "intents/accept/reach.hpp"

namespace pawl::intents {

// At most so many are released by one transaction; the sweeper goes on.
inline constexpr std::int64_t releases_max = 256;

// Everybody who waits for what the reach may post or move on, and who waits for them in turn.
Waits read_waits(db::Transaction& transaction, const Reach& reach);

void write_waits(db::Transaction& transaction, const Desk& desk, Time now);

}  // namespace pawl::intents
