#include "intents/queries/cursor.hpp"

#include "base/encoding.hpp"
#include "base/json.hpp"

namespace pawl::intents {

namespace {
constexpr char separator = '\x1f';  // no part of a cursor contains it
}

std::string make_cursor(const std::vector<std::string>& parts) {
    std::string joined;
    for (const std::string& part : parts) joined.append(part) += separator;
    return to_base64url(joined);
}

Result<std::vector<std::string>> read_cursor(std::string_view cursor, std::size_t count) {
    const auto joined = from_base64url(cursor);
    std::vector<std::string> parts;
    // make_cursor never makes a text that the database would refuse.
    const bool text = joined && json::is_utf8(*joined) && joined->find('\0') == std::string::npos;
    std::string_view rest = text ? std::string_view(*joined) : std::string_view();
    while (!rest.empty()) {
        const std::size_t end = rest.find(separator);
        if (end == std::string_view::npos) break;
        parts.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end + 1);
    }
    if (parts.size() == count && rest.empty()) return parts;
    return foreign_cursor();
}

Error foreign_cursor() {
    return invalid("cursor: not from this list; request the first page without a cursor");
}

}  // namespace pawl::intents
