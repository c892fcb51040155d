// Parsers of configuration values: sizes, listen addresses, names. Pure, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::app {

// Parses "64KiB", "1MiB", "512B" or "65536"; nullopt if it is not a size.
std::optional<std::int64_t> parse_size(std::string_view text);
std::string size_text(std::int64_t bytes);

struct Listen {
    std::string host;
    std::uint16_t port = 0;
    bool operator==(const Listen&) const = default;
};
std::string to_text(const Listen& listen);
// http://HOST:PORT, at which this machine reaches it; of every address the loopback one.
std::string url_of(const Listen& listen);

// "127.0.0.1:8080", "[::1]:8080", "0.0.0.0:80". Numeric addresses only: a name could resolve to an
// interface that was not meant to be open. Port 0 is refused: each IO loop would get one of its
// own.
std::optional<Listen> parse_listen(std::string_view text);
inline constexpr std::string_view listen_rule =
    "write ADDRESS:PORT with a numeric address and a port of 1 to 65535, like \"127.0.0.1:8080\"";
bool is_loopback(const Listen& listen);

// A provider's, gateway's or subscriber's name: it appears in URLs, tables and metrics.
bool is_plain_name(std::string_view text);
inline constexpr std::string_view plain_name_rule =
    "use 1 to 63 of a-z, 0-9, - and _, starting with a letter or digit";

// The first parts of effect keys that Pawl itself posts under; no books and no kind may be named
// so.
bool is_reserved_name(std::string_view text);
inline constexpr std::string_view reserved_name_rule =
    "choose another: operator, reversal and payment are reserved";

}  // namespace pawl::app
