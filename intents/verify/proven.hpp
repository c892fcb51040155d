// The proven point: the extent of a verification, and all that the next one needs to continue from
// there. Kept in a file in the folder of the heads, outside the database, authenticated by the key
// of the chains: a point with a wrong signature counts as none. Values; any thread.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/hash_chain.hpp"
#include "intents/verify/account_sums.hpp"

namespace pawl::intents {

struct ProvenTable {
    // Every row up to this number; at first none, not even one below the first number.
    std::int64_t through = std::numeric_limits<std::int64_t>::min();
    std::vector<chain::Head> chains;  // where each stands
};

struct Proven {
    Time at{};  // by the database's clock
    ProvenTable transfers;
    ProvenTable audit;
    AccountSums sums;  // sums of the transfers up to transfers.through
};

// nullopt where there is none, or none that the key has signed.
std::optional<Proven> read_proven(const std::string& folder, const chain::Keys& keys);
Result<void> write_proven(const std::string& folder, const chain::Keys& keys, Proven& proven);

}  // namespace pawl::intents
