// Text from outside, made so that PostgreSQL stores it: UTF-8 without NUL, and cut between two
// characters. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pawl {

// Bytes that are not UTF-8, and NUL, are replaced by U+FFFD. At most `bytes_max` bytes.
std::string storable(std::string_view text, std::size_t bytes_max = std::string_view::npos);

}  // namespace pawl
