// What `serve --dev` prints for somebody who has never seen Pawl: where it listens, a token, and
// commands that can be pasted. Called once, by serve.
#pragma once

#include <string>
#include <vector>

#include "access/tokens.hpp"
#include "app/roles.hpp"
#include "base/clock.hpp"
#include "db/session.hpp"
#include "providers/provider.hpp"
#include "settings/settings.hpp"
#include "settings/terminal.hpp"

namespace pawl::app {

struct FirstSteps {
    const Settings& settings;
    const Roles& roles;
    const std::vector<providers::Provider>& providers;
    const std::string& admin_token;
    const std::string& api_token;
    const Clock& clock;
    const Terminal& out;
};

void print_first_steps(const FirstSteps& steps);

}  // namespace pawl::app
