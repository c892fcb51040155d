// Numbers for advisory locks, one for each thing that two transactions must not decide at once.
// Every running version must compute the same number for the same thing: never change the hash.
// Pure.
#pragma once

#include <cstdint>
#include <set>

#include "intents/desk.hpp"

namespace pawl::intents {

std::int64_t lock_key(const IntentKey& intent);
std::int64_t lock_key(const EffectKey& effect);

// All locks of a batch: its intents, the effects it may post and the effects it needs. Sorted, so
// that no two batches can wait for each other in a circle.
std::set<std::int64_t> lock_keys(const Batch& batch);

}  // namespace pawl::intents
