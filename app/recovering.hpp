// Recovery after lost commits, for `serve`, `doctor` and `recover`, on their threads.
#pragma once

#include <string>
#include <vector>

#include "app/database.hpp"
#include "app/doctor.hpp"
#include "intents/verify/lost_commits.hpp"

namespace pawl::app {

// The commits that this machine has recorded since the last recovery began and the database does
// not have.
std::vector<intents::LostCommit> lost_commits(db::Session& session);
// One line: the first of them and how many there are.
std::string described(const std::vector<intents::LostCommit>& lost);

// Refuses a database that has lost commits, and logs a warning if a recovery is on.
Result<void> refuse_lost_commits(db::Session& session);

// The row of `pawl doctor`.
Check check_recovery(db::Session& session);

}  // namespace pawl::app
