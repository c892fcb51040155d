#include "sandbox/http.hpp"

#include <algorithm>

#include "base/encoding.hpp"

namespace pawl::sandbox {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

const char* reason(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 402:
            return "Payment Required";
        case 404:
            return "Not Found";
        case 409:
            return "Conflict";
        case 413:
            return "Content Too Large";
        case 429:
            return "Too Many Requests";
        case 500:
            return "Internal Server Error";
        default:
            return "Service Unavailable";
    }
}

bool parse_request_line(std::string_view line, Request& into) {
    const auto first = line.find(' ');
    const auto last = line.rfind(' ');
    if (first == std::string_view::npos || last == first) return false;
    if (!line.substr(last + 1).starts_with("HTTP/1.")) return false;
    into.method = line.substr(0, first);
    const std::string_view target = line.substr(first + 1, last - first - 1);
    const auto question = target.find('?');
    auto path = decode_percent(target.substr(0, question), false);
    if (!path || !path->starts_with('/')) return false;
    into.path = std::move(*path);
    if (question == std::string_view::npos) return true;
    auto query = decode_form(target.substr(question + 1));
    if (query) into.query = std::move(*query);
    return query.has_value();
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::string> value_of(const Fields& fields, std::string_view name) {
    for (const auto& [field, value] : fields) {
        if (field == name) return value;
    }
    return std::nullopt;
}

std::optional<std::string> Request::header(std::string_view name) const {
    for (const auto& [field, value] : headers) {
        if (same_name(field, name)) return value;
    }
    return std::nullopt;
}

std::optional<std::string> decode_percent(std::string_view text, bool plus_is_space) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus_is_space) {
            decoded += ' ';
        } else if (text[i] != '%') {
            decoded += text[i];
        } else {
            const auto byte = from_hex(text.substr(i + 1, 2));
            if (!byte || byte->size() != 1) return std::nullopt;
            decoded += *byte;
            i += 2;
        }
    }
    return decoded;
}

std::optional<Fields> decode_form(std::string_view text) {
    Fields fields;
    while (!text.empty()) {
        const std::string_view field = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(field.size() + 1, text.size()));
        const auto equals = std::min(field.find('='), field.size());
        const auto name = decode_percent(field.substr(0, equals), true);
        const auto value = decode_percent(field.substr(std::min(equals + 1, field.size())), true);
        if (!name || !value) return std::nullopt;
        fields.emplace_back(*name, *value);
    }
    return fields;
}

std::optional<Request> parse_head(std::string_view head) {
    Request request;
    bool first = true;
    while (!head.empty()) {
        const auto end = head.find("\r\n");
        const std::string_view line = head.substr(0, end);
        head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
        if (line.empty()) break;
        if (first) {
            if (!parse_request_line(line, request)) return std::nullopt;
            first = false;
            continue;
        }
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) return std::nullopt;
        std::string_view value = line.substr(colon + 1);
        while (value.starts_with(' ')) value.remove_prefix(1);
        request.headers.emplace_back(line.substr(0, colon), value);
    }
    if (first) return std::nullopt;
    return request;
}

std::string render(const Reply& reply, bool keep_alive) {
    std::string bytes =
        "HTTP/1.1 " + std::to_string(reply.status) + " " + reason(reply.status) + "\r\n";
    bytes += "Content-Type: application/json\r\n";
    for (const auto& [name, value] : reply.headers) bytes += name + ": " + value + "\r\n";
    bytes += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
    bytes += keep_alive ? "\r\n" : "Connection: close\r\n\r\n";
    return bytes + reply.body;
}

}  // namespace pawl::sandbox
