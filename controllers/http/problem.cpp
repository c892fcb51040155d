#include "controllers/http/problem.hpp"

#include <array>

#include "base/json.hpp"

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

}  // namespace

Reply problem(int status, std::string_view code, std::string_view detail) {
    std::string body = "{\"type\":" + json::quote("urn:pawl:problem:" + std::string(code));
    body += ",\"title\":" + json::quote(title_of(status));
    body += ",\"status\":" + std::to_string(status);
    body += ",\"code\":" + json::quote(code);
    body += ",\"detail\":" + json::quote(detail) + "}";
    return {status, "application/problem+json", {}, std::move(body)};
}

Reply unavailable(std::string_view code, std::string_view detail, int retry_after_s) {
    Reply reply = problem(503, code, detail);
    reply.headers.emplace_back("Retry-After", std::to_string(retry_after_s));
    return reply;
}

Reply method_not_allowed(std::string_view allow) {
    Reply reply =
        problem(405, "method_not_allowed", "method: not allowed here; use " + std::string(allow));
    reply.headers.emplace_back("Allow", allow);
    return reply;
}

}  // namespace pawl::http
