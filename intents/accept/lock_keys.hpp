// Numbers for advisory locks, one for each thing that two transactions must not decide at once.
// Every running version must compute the same number for the same thing: never change the hash.
// Pure.
#pragma once

#include <cstdint>
#include <set>

#include "intents/accept/lock_set.hpp"

namespace pawl::intents {

// One number for each intent, effect and stream. Sorted, so that no two batches can wait for
// each other in a circle.
std::set<std::int64_t> lock_keys(const LockSet& lock_set);

// Balances are locked by their rows. This key only distinguishes them.
std::int64_t lock_key(const ledger::BalanceKey& balance);

}  // namespace pawl::intents
