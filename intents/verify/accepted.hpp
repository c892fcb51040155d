// Breaks of a chain that an operator has accepted: after a restore or a failover that lost commits
// the gap stays, and must not hide the next one. Kept in the folder of the heads, authenticated by
// the key, and named in the audit log. Values; any thread.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "db/session.hpp"
#include "intents/verify/verify.hpp"

namespace pawl::intents {

// Removes the accepted breaks from the breaches, and returns them.
std::vector<Breach> take_accepted(const db::ChainWriter& chain, std::vector<Breach>& breaches);

// Accepts every break of a chain that the proof found. Returns their number. Rows under an unknown
// key could have any writer: refused, unless the key is one of `lost_keys`.
Result<std::size_t> accept_breaks(db::Session& session, const Proof& proof,
                                  const std::string& principal, const std::string& reason,
                                  const std::set<std::string>& lost_keys = {});

}  // namespace pawl::intents
