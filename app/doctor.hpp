// The checks of `pawl doctor`, one function each. Each result is a row: good, worth a look, or bad,
// with the remedy. The database's rows come from a DatabaseProbe, so that this file needs no
// database layer. Plain functions, called by one thread.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "settings/settings.hpp"

namespace pawl::app {

enum class Health { good, doubtful, bad, wrong, unreachable };  // wrong: not configured so

struct Check {
    std::string name;
    Health health = Health::good;
    std::string detail;
    std::string remedy;
};
using Checks = std::vector<Check>;

// Asks the database about its version, durability settings, migrations and clock.
using DatabaseProbe = std::function<Checks(const Settings&)>;

Check check_configuration(const Loaded& loaded);
Check check_secrets(const Settings& settings);
// `server`: the pid of a running pawl that has the port; 0: none.
Check check_port(std::string name, const Listen& listen, pid_t server = 0);
Check check_data_dir(const DatabaseSettings& database);
Check check_disk(const DatabaseSettings& database);
Check check_clock();
Check check_open_files();

// Checks that need no database.
Checks check_surroundings(const Loaded& loaded, pid_t server = 0);
int exit_of(const Checks& checks);

}  // namespace pawl::app
