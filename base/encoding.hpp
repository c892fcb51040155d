// Bytes as text and back: hex, base64, base64url. Decoding is strict: one wrong character, wrong
// padding or stray bits in the last character refuse the whole text. Not constant time: compare
// decoded bytes with crypto::equal. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pawl {

std::string to_hex(std::string_view bytes);  // lower case
std::string to_base64(std::string_view bytes);
std::string to_base64url(std::string_view bytes);  // without padding

std::optional<std::string> from_hex(std::string_view text);  // either case
// Padding may be missing altogether, but not in part.
std::optional<std::string> from_base64(std::string_view text);
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace pawl
