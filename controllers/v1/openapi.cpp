#include "controllers/v1/openapi.hpp"

#include <string_view>

#include "controllers/openapi_embedded.hpp"

namespace pawl::http {
namespace {

constexpr std::string_view default_server = "http://127.0.0.1:8080";  // in openapi.json

// Of a listener on every address, the one that a program on this machine can call.
std::string callable(ListenAddress address) {
    if (address.ip == "0.0.0.0") address.ip = "127.0.0.1";
    if (address.ip == "::") address.ip = "::1";
    return "http://" + address.text();
}

}  // namespace

std::string openapi_for(const ListenAddress& open) {
    std::string document;
    for (const std::string_view piece : openapi_pieces) document += piece;
    const std::size_t server = document.find(default_server);
    document.replace(server, default_server.size(), callable(open));
    return document;
}

Handler openapi(const ListenAddress& open) {
    return [document = openapi_for(open)](const RequestPtr&, const Responder& respond) {
        respond({200, "application/json", {}, document});
    };
}

}  // namespace pawl::http
