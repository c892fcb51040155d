// The provider files against the keys under which their providers have posted: a changed key would
// post the same payment again. For serve, lint and doctor, on their threads.
#pragma once

#include "app/doctor.hpp"
#include "db/session.hpp"
#include "settings/settings.hpp"

namespace pawl::app {

// Refuses a changed key that no `formerly` names; logs a rule that reads amounts in another way.
Result<void> check_shapes_of_posted(const Settings& settings, db::Session& session);

// The row of `pawl doctor`.
Check check_posted_keys(const Settings& settings, db::Session& session);

// For `pawl lint --database`.
Result<Findings> find_changed_shapes(const Settings& settings);

}  // namespace pawl::app
