// HTTP of the sandbox: a request in, a reply or a fault out. Plain values.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::sandbox {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Request {
    std::string method;
    std::string path;  // decoded
    Fields query;      // decoded, in order
    Fields headers;
    std::string body;

    std::optional<std::string> header(std::string_view name) const;  // ignores case
};

// The fate of the connection after the answer.
enum class Manner {
    answer,
    reset,    // a TCP reset instead of an answer
    silence,  // no answer, for `silence` or until the client has closed
};

struct Reply {
    int status = 200;
    std::string body;  // JSON
    Fields headers;
    Manner manner = Manner::answer;
    std::chrono::milliseconds silence{0};
};

std::optional<std::string> value_of(const Fields& fields, std::string_view name);
bool same_name(std::string_view a, std::string_view b);  // ignores case

// Parses "a=1&b%5Bc%5D=x+y"; nullopt where a % is not followed by two hex digits.
std::optional<Fields> decode_form(std::string_view text);
std::optional<std::string> decode_percent(std::string_view text, bool plus_is_space);

// Parses a whole head, up to its empty line; nullopt if it is not HTTP/1.x.
std::optional<Request> parse_head(std::string_view head);
std::string render(const Reply& reply, bool keep_alive);

}  // namespace pawl::sandbox
