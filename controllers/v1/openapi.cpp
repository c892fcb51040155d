#include "controllers/v1/openapi.hpp"

#include <string_view>

#include "controllers/openapi_embedded.hpp"

namespace pawl::http {
namespace {

// In openapi.json.
constexpr std::string_view default_open = "http://127.0.0.1:8080";
constexpr std::string_view default_admin = "http://127.0.0.1:8081";

// Replaces a wildcard address by the loopback one, which a program on this machine can call.
std::string callable(ListenAddress address) {
    if (address.ip == "0.0.0.0") address.ip = "127.0.0.1";
    if (address.ip == "::") address.ip = "::1";
    return "http://" + address.text();
}

void replace_every(std::string& text, std::string_view old, const std::string& by) {
    for (std::size_t at = text.find(old); at != std::string::npos;
         at = text.find(old, at + by.size())) {
        text.replace(at, old.size(), by);
    }
}

}  // namespace

std::string openapi_text() {
    std::string document;
    for (const std::string_view piece : openapi_pieces) document += piece;
    return document;
}

std::string openapi_for(const ListenAddress& open, const ListenAddress& admin) {
    std::string document = openapi_text();
    // Through a mark, because one listener may have the other's default address.
    constexpr const char* mark = "\x1f";
    replace_every(document, default_open, mark);
    replace_every(document, default_admin, callable(admin));
    replace_every(document, mark, callable(open));
    return document;
}

Handler openapi(const ListenAddress& open, const ListenAddress& admin) {
    return [document = openapi_for(open, admin)](const RequestPtr&, const Responder& respond) {
        respond({200, "application/json", {}, document});
    };
}

}  // namespace pawl::http
