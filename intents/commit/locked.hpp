// Probe for the locks that other sessions hold: queried, without waiting, after a batch's
// lock_timeout has expired. Used by committers, on their sessions.
#pragma once

#include <cstdint>
#include <set>

#include "db/session.hpp"
#include "intents/accept/submission.hpp"

namespace pawl::intents {

// A number for each lock that it needs: its advisory locks, and the rows of its balances.
std::set<std::int64_t> required_locks(const Submission& submission);

struct Locks {
    std::set<std::int64_t> asked;
    std::set<std::int64_t> held;  // the subset held by other sessions
};

Locks probe_locks(db::Session& session, const Batch& batch);

}  // namespace pawl::intents
