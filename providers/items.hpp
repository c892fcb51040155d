// Splits a batch that as a whole is invalid JSON into its items, each as its bytes. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace pawl::providers {

// Returns nullopt if there is no array where `items` points, or the array does not end. Looks at
// brackets and quotes only; each item is then parsed by itself.
std::optional<std::vector<std::string_view>> split_items(std::string_view body,
                                                         const json::Pointer& items);

}  // namespace pawl::providers
