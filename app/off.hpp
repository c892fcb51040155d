// Providers and gateways that are configured and not served: their lines in the log at start, and
// the refusal to switch off one that is needed. Used by serve, on its thread.
#pragma once

#include "db/session.hpp"
#include "settings/settings.hpp"

namespace pawl::app {

// Logs each, and how to switch a provider on if none is.
void log_off(const Settings& settings);

// Refuses to switch off a provider whose events are stored: a lost secret must not do that.
Result<void> check_secrets_of_stored(const Settings& settings, db::Session& session);

}  // namespace pawl::app
