#include "controllers/http/http_edge_reply.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "controllers/http/http_head.hpp"

namespace pawl::http {
namespace {

struct Extra {
    const char* name;
    const char* value;
};

constexpr Extra for_every_reply[] = {{"x-content-type-options", "nosniff"}};

// The admin listener serves a console to browsers: nothing of it may be framed, cached, or load
// from elsewhere.
constexpr Extra for_admins[] = {
    {"x-frame-options", "DENY"},
    {"referrer-policy", "no-referrer"},
    {"cache-control", "no-store"},
    {"content-security-policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'"},
};

// A line break in a value would inject a header.
bool is_one_line(std::string_view text) {
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

}  // namespace

drogon::HttpResponsePtr to_drogon(Reply reply, Listener listener) {
    auto response = drogon::HttpResponse::newHttpResponse();
    response->setStatusCode(static_cast<drogon::HttpStatusCode>(reply.status));
    for (const Extra& extra : for_every_reply) response->addHeader(extra.name, extra.value);
    if (listener == Listener::admin) {
        for (const Extra& extra : for_admins) response->addHeader(extra.name, extra.value);
    }
    for (auto& [name, value] : reply.headers) {
        if (!is_one_line(name) || !is_one_line(value)) {
            log::error("a reply header held a line break and was left out");
            continue;
        }
        response->addHeader(name, std::move(value));
    }
    const bool has_body = reply.status != 204 && reply.status != 304;
    response->setContentTypeString(has_body ? reply.content_type : std::string());
    if (has_body) response->setBody(std::move(reply.body));
    return response;
}

}  // namespace pawl::http
