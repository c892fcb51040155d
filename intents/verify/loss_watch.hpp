// Lost commits and the recovery after them: what a recovery does not cover yet, and the task that
// notices a loss under a server that runs. On the caller's session.
#pragma once

#include <string>
#include <vector>

#include "access/recovery.hpp"
#include "intents/verify/lost_commits.hpp"
#include "jobs/upkeep.hpp"

namespace pawl::intents {

// The commits that this machine has recorded and the database does not have, but for those that the
// last recovery covers.
std::vector<LostCommit> uncovered_losses(db::Session& session);
// One line: the first of them and how many there are; empty if there are none.
std::string described(const std::vector<LostCommit>& lost);
// The recovery that covers them; also without any.
access::NewRecovery recovery_from(const std::vector<LostCommit>& lost, std::string principal,
                                  std::string reason);

// For each new connection of a server that runs: a failover ends them all, so that the heads are
// compared before the first commit on the new primary can replace them. Begins the recovery.
void recover_if_lost(db::Session& session);

// For a server that runs through a failover: compares the heads of its last step, ten seconds ago,
// with the database, and begins the recovery itself. The present heads prove nothing, because a
// chain continues behind a lost link.
jobs::Chore loss_chore();

}  // namespace pawl::intents
