// Search for the events of a delivery whose data the database refuses. The delivery is bisected,
// each part tried in a transaction that is never committed, until every refusal is that of a single
// event. On the caller's session.
#pragma once

#include <cstddef>
#include <set>

#include "base/clock.hpp"
#include "db/session.hpp"
#include "intents/accept/submission.hpp"

namespace pawl::intents {

// Returns positions in `submission.events`. Throws db::Failure for an error outside the data.
std::set<std::size_t> find_unstorable(db::Session& session, const Submission& submission, Time now);

}  // namespace pawl::intents
