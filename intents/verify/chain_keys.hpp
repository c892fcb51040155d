// The keys under which rows were chained and that this process does not have: for the warning at
// the start of a server. On the caller's session.
#pragma once

#include <set>
#include <string>

#include "db/session.hpp"

namespace pawl::intents {

// Ids, in hex, of keys that signed heads or the newest links and are not among those of the
// session.
std::set<std::string> unknown_chain_keys(db::Session& session);

}  // namespace pawl::intents
