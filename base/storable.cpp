#include "base/storable.hpp"

#include <algorithm>

#include "base/json.hpp"

namespace pawl {
namespace {

constexpr std::size_t character_bytes_max = 4;
constexpr std::string_view replacement = "\xef\xbf\xbd";

// Bytes of the character that the text begins with; 0 if it begins with none that can be stored.
std::size_t character_at(std::string_view text) {
    if (text.front() == '\0') return 0;
    for (std::size_t size = 1; size <= std::min(character_bytes_max, text.size()); ++size) {
        if (json::is_utf8(text.substr(0, size))) return size;
    }
    return 0;
}

}  // namespace

std::string storable(std::string_view text, std::size_t bytes_max) {
    std::string stored;
    while (!text.empty()) {
        const std::size_t size = character_at(text);
        const std::string_view next = size == 0 ? replacement : text.substr(0, size);
        if (stored.size() + next.size() > bytes_max) break;
        stored += next;
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return stored;
}

}  // namespace pawl
