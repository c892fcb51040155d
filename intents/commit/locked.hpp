// Which locks somebody else holds just now: asked, without waiting, after a batch has waited for
// one in vain. Used by committers, on their sessions.
#pragma once

#include <cstdint>
#include <set>

#include "db/session.hpp"
#include "intents/accept/submission.hpp"

namespace pawl::intents {

// A number for each lock that it needs: its advisory locks, and the rows of its balances.
std::set<std::int64_t> locks_of(const Submission& submission);

struct Locks {
    std::set<std::int64_t> asked;
    std::set<std::int64_t> held;  // some of them, by somebody else
};

Locks look_at_locks(db::Session& session, const Batch& batch);

}  // namespace pawl::intents
