// How much there was in the chained tables before they were chained: noted once, beside the heads,
// authenticated by the key. A row without a chain that came later was inserted. Values.
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

// None was noted, or none that a known key has signed: every row must be in a chain.
ChainBegan read_began(const std::string& folder, const chain::Keys& keys);
// Counts and notes, unless it was noted before.
Result<void> note_began(const std::string& folder, const chain::Keys& keys, db::Session& session);

}  // namespace pawl::intents
