// What may be forgotten about what was received, as chores in small steps: the bytes of deliveries,
// a week at a time; and dedup rows, where a provider's file gives them an end. Never an unfinished
// event or its bytes, and never what was posted or its keys. The database has floors of its own.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "jobs/upkeep.hpp"

namespace pawl::intents {

struct Forgetting {
    std::string provider;
    Duration after{};            // by the database's clock, and never less than
    Duration delivered_again{};  // twice the time in which the provider delivers again
};

// Partitions made ahead; those whose bytes are older than `kept` dropped, each in a transaction of
// its own; what was moved out of them deleted when it is finished; statistics of the whole.
std::vector<jobs::Chore> delivery_chores(Duration kept);

// Nothing where every provider keeps its rows for ever, which is the default.
std::vector<jobs::Chore> forgetting_chores(std::vector<Forgetting> providers);

}  // namespace pawl::intents
