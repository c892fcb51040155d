// Which events of a delivery the database refuses for what is in them. Each part is tried in a
// transaction that is never committed, by halves, until every refusal is that of a single event.
// On the caller's session.
#pragma once

#include <cstddef>
#include <set>

#include "base/clock.hpp"
#include "db/session.hpp"
#include "intents/accept/submission.hpp"

namespace pawl::intents {

// Positions in `submission.events`. Throws db::Failure for trouble that is not the events' own.
std::set<std::size_t> find_unstorable(db::Session& session, const Submission& submission, Time now);

}  // namespace pawl::intents
