// Prints the banner of `serve --dev`: listeners, a token, and commands to paste. Called once, by
// serve.
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
