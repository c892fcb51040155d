// Providers that an operator has paused: their events are stored and wait. Each change writes its
// audit row in the same transaction. On the caller's session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "db/session.hpp"

namespace pawl::access {

struct Pause {
    std::string provider;
    Time paused_at;
    std::string paused_by, reason;
    std::int64_t waiting = 0;  // events that are stored and not applied
};

std::vector<Pause> list_pauses(db::Session& session);
bool is_paused(db::Transaction& transaction, const std::string& provider);

bool pause(db::Session& session, const std::string& provider, const std::string& principal,
           const std::string& reason);  // false if it was paused already
bool resume(db::Session& session, const std::string& provider, const std::string& principal,
            const std::string& reason);

}  // namespace pawl::access
