// What `pawl doctor` asks the database: version, durability, clock, schema. For one thread.
#pragma once

#include "app/doctor.hpp"

namespace pawl::app {

Checks check_database(const Settings& settings);

}  // namespace pawl::app
