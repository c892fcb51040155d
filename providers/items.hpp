// The items of a batch that as a whole is no valid JSON, each as its bytes. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace pawl::providers {

// Nothing: there is no array where `items` points, or it does not end. Looks at brackets and quotes
// only; each item is then judged by itself.
std::optional<std::vector<std::string_view>> split_items(std::string_view body,
                                                         const json::Pointer& items);

}  // namespace pawl::providers
