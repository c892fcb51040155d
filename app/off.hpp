// Providers and gateways that are configured and not served: what the log says about them at
// start, and when one of them must not be off. Used by serve, on its thread.
#pragma once

#include "db/session.hpp"
#include "settings/settings.hpp"

namespace pawl::app {

// A note for each, and one sentence on how to turn a provider on where none is.
void log_off(const Settings& settings);

// Refuses to switch off a provider whose events are stored: a lost secret must not do that.
Result<void> check_secrets_of_stored(const Settings& settings, db::Session& session);

}  // namespace pawl::app
