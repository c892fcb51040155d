// Recovery after lost commits, for `serve` and `doctor`, on their threads.
#pragma once

#include "app/doctor.hpp"
#include "base/result.hpp"
#include "db/session.hpp"
#include "settings/settings.hpp"

namespace pawl::app {

// Refuses a database that has lost commits, and logs a warning if a recovery is on.
Result<void> refuse_lost_commits(db::Session& session);

// For commands that post or send: the mode is the database's, and no commit is lost.
Result<void> check_may_post(const Settings& settings, db::Session& session);

// The row of `pawl doctor`.
Check check_recovery(db::Session& session);

}  // namespace pawl::app
