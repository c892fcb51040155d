// The variables that win over pawl.toml. Used by load() only, one thread.
#pragma once

#include "settings/settings.hpp"

namespace pawl::app {

void apply_environment(const Variables& variables, Settings& settings, Findings& findings);

}  // namespace pawl::app
