#include "controllers/http/problem.hpp"

#include <array>
#include <cstdio>

namespace pawl::http {
namespace {

struct Title {
    int status;
    const char* text;
};

constexpr std::array<Title, 21> titles{{{400, "Bad Request"},
                                        {401, "Unauthorized"},
                                        {402, "Payment Required"},
                                        {403, "Forbidden"},
                                        {404, "Not Found"},
                                        {405, "Method Not Allowed"},
                                        {408, "Request Timeout"},
                                        {409, "Conflict"},
                                        {412, "Precondition Failed"},
                                        {413, "Content Too Large"},
                                        {414, "URI Too Long"},
                                        {415, "Unsupported Media Type"},
                                        {417, "Expectation Failed"},
                                        {422, "Unprocessable Content"},
                                        {428, "Precondition Required"},
                                        {429, "Too Many Requests"},
                                        {431, "Request Header Fields Too Large"},
                                        {500, "Internal Server Error"},
                                        {501, "Not Implemented"},
                                        {502, "Bad Gateway"},
                                        {503, "Service Unavailable"}}};

const char* title_of(int status) {
    for (const Title& title : titles) {
        if (title.status == status) return title.text;
    }
    return "Error";
}

// How many bytes the UTF-8 sequence at the front has; 0 where it is not valid.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
    }
    const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
    const bool outside = (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f);
    return overlong || outside ? 0 : length;
}

}  // namespace

std::string json_quoted(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const char c = text.front();
        const std::size_t length = sequence_length(text);
        if (c == '"' || c == '\\') {
            out.append("\\").push_back(c);
        } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            out += escape;
        } else if (length == 0) {
            out += "\xef\xbf\xbd";
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out += '"';
}

Reply problem(int status, std::string_view code, std::string_view detail) {
    std::string body = "{\"type\":" + json_quoted("urn:pawl:problem:" + std::string(code));
    body += ",\"title\":" + json_quoted(title_of(status));
    body += ",\"status\":" + std::to_string(status);
    body += ",\"code\":" + json_quoted(code);
    body += ",\"detail\":" + json_quoted(detail) + "}";
    return {status, "application/problem+json", {}, std::move(body)};
}

Reply unavailable(std::string_view code, std::string_view detail, int retry_after_s) {
    Reply reply = problem(503, code, detail);
    reply.headers.emplace_back("Retry-After", std::to_string(retry_after_s));
    return reply;
}

Reply method_not_allowed(std::string_view allow) {
    Reply reply = problem(405, "method_not_allowed", "Use one of: " + std::string(allow) + ".");
    reply.headers.emplace_back("Allow", allow);
    return reply;
}

}  // namespace pawl::http
