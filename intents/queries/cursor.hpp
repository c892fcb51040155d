// The end of a page, as an opaque word that can travel in a URL. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pawl::intents {

std::string make_cursor(const std::vector<std::string>& parts);
// Returns the parts; an error if it was not made for a list of `count` parts.
Result<std::vector<std::string>> read_cursor(std::string_view cursor, std::size_t count);
// The error for a cursor whose parts do not fit the list.
Error foreign_cursor();

}  // namespace pawl::intents
