// Values that several kinds of file share: names, addresses, URLs.
#include <fmt/core.h>

#include <algorithm>

#include "settings/files.hpp"
#include "settings/suggest.hpp"

namespace pawl::app {

bool read_listen(TableReader& reader, std::string_view key, Listen& into) {
    std::string text;
    if (!reader.text(key, text)) return false;
    const auto parsed = parse_listen(text);
    if (!parsed) {
        reader.wrong(key, fmt::format("is not an address to listen on: {}", reader.shown(text)),
                     std::string(listen_rule));
        return false;
    }
    into = *parsed;
    return true;
}

bool read_url(TableReader& reader, std::string_view key, std::string& into) {
    std::string text;
    if (!reader.text(key, text)) return false;
    const bool web = text.starts_with("https://") || text.starts_with("http://");
    if (!web || text.find_first_of(" \t\r\n") != std::string::npos) {
        reader.wrong(key, "is not a URL", "write it whole, like \"https://example.com/path\"");
        return false;
    }
    into = std::move(text);
    return true;
}

void read_name(TableReader& reader, std::string& into) {
    reader.require("name", "write name = \"...\": it stands in URLs, tables and metrics");
    if (reader.text("name", into) && !is_plain_name(into)) {
        reader.wrong("name", fmt::format("{} is not a usable name", reader.shown(into)),
                     std::string(plain_name_rule));
    }
}

// The default is the file's name. A tenant, a mode and an id follow the books in an effect key:
// books with a "/" or ":" could have the key of another's.
void read_books(TableReader& reader, const std::string& name, std::string& into) {
    into = name;
    const bool named = reader.text("books", into);
    if (named && !is_plain_name(into)) {
        reader.wrong("books", fmt::format("{} is not a usable name", reader.shown(into)),
                     std::string(plain_name_rule));
    } else if (is_reserved_name(into)) {
        reader.wrong(named ? "books" : "name",
                     fmt::format("{} is reserved, and cannot name books", reader.shown(into)),
                     std::string(reserved_name_rule));
    }
}

}  // namespace pawl::app
