// Number of rows in the chained tables before their chains began: noted once, in the folder of the
// heads, authenticated by the key. A later row without a chain was inserted. Values.
#pragma once

#include <optional>
#include <string>

#include "base/hash_chain.hpp"
#include "db/session.hpp"

namespace pawl::intents {

struct ChainBegan {
    std::int64_t transfers = 0;  // the highest number there was
    std::int64_t unchained_transfers = 0;
    std::int64_t audit = 0;
    std::int64_t unchained_audit = 0;
};

// Returns zeros if no note exists, or no known key has signed it: every row must be in a chain.
ChainBegan read_began(const std::string& folder, const chain::Keys& keys);
// Counts and notes, unless it was noted before.
Result<void> note_began(const std::string& folder, const chain::Keys& keys, db::Session& session);

}  // namespace pawl::intents
