// Providers that an operator has paused: their events are stored and wait. Each change writes its
// audit row in the same transaction. On the caller's session.
#pragma once

#include <string>

#include "db/session.hpp"

namespace pawl::access {

bool pause(db::Session& session, const std::string& provider, const std::string& principal,
           const std::string& reason);  // false if it was paused already
bool resume(db::Session& session, const std::string& provider, const std::string& principal,
            const std::string& reason);

}  // namespace pawl::access
