#include "outbound/keys.hpp"

#include <algorithm>

#include "base/crypto.hpp"
#include "base/encoding.hpp"

namespace pawl::outbound {
namespace {

// Drawn once, for nothing else. Another one would be another key for every call there ever was.
constexpr std::string_view name_space = "42d750b64098410082a12cedd3a4fdc9";

// A key travels in a header line.
bool visible_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

std::string key_to_send(const std::string& key, std::size_t bytes_max) {
    return key.size() <= bytes_max && visible_ascii(key) ? key : uuid_v5(key);
}

// RFC 9562, 5.5: the first 128 bits of SHA-1, with version and variant written over six of them.
std::string uuid_v5(std::string_view name) {
    const std::string space = *from_hex(name_space);
    const std::string_view parts[] = {space, name};
    std::string bytes = crypto::digest(crypto::Hash::sha1, parts).substr(0, 16);
    bytes[6] = static_cast<char>((static_cast<unsigned char>(bytes[6]) & 0x0fU) | 0x50U);
    bytes[8] = static_cast<char>((static_cast<unsigned char>(bytes[8]) & 0x3fU) | 0x80U);
    std::string text = to_hex(bytes);
    for (const std::size_t at : {20U, 16U, 12U, 8U}) text.insert(at, 1, '-');
    return text;
}

}  // namespace pawl::outbound
