// Retention tasks, in small steps: the bytes of deliveries and rejections, a partition at a time;
// and dedup rows that moved no money, if a provider's file limits them. Never an unfinished event
// or its bytes, never a movement or its key. The database's functions enforce separate minimum
// ages.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "jobs/upkeep.hpp"

namespace pawl::intents {

struct EventExpiry {
    std::string provider;
    Duration after{};            // by the database's clock, and never less than
    Duration delivered_again{};  // twice the time in which the provider redelivers
};

// Partitions are made ahead, and dropped once their bytes are older than `kept`; copies of
// deliveries are deleted when no event needs them; statistics are kept.
std::vector<jobs::Chore> delivery_chores(Duration kept, Duration rejections_kept);

// Empty where every provider keeps its rows forever, which is the default.
std::vector<jobs::Chore> expiry_chores(std::vector<EventExpiry> providers);

}  // namespace pawl::intents
