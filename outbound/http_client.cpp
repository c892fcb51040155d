#include "outbound/http_client.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "base/text.hpp"
#include "outbound/http_session.hpp"

namespace pawl::outbound {
namespace {

constexpr std::array<std::string_view, 6> methods = {"GET",  "POST",  "PUT",
                                                     "HEAD", "PATCH", "DELETE"};

bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    });
}

// A line break in a foreign value would add a header.
const char* flaw(const HttpRequest& request) {
    if (std::find(methods.begin(), methods.end(), request.method) == methods.end()) {
        return "the method is not known";
    }
    if (!request.url.starts_with("http://") && !request.url.starts_with("https://")) {
        return "the address does not begin with http:// or https://";
    }
    if (has_control(request.url) || request.url.find(' ') != std::string::npos) {
        return "the address has a space or a control character";
    }
    for (const auto& [name, value] : request.headers) {
        if (name.empty() || has_control(name) || has_control(value) ||
            name.find_first_of(": \t") != std::string::npos) {
            return "a header has a control character";
        }
    }
    return nullptr;
}

}  // namespace

std::optional<std::string_view> HttpReply::header(std::string_view name) const {
    for (const auto& [line_name, value] : headers) {
        if (equal_ignoring_case(line_name, name)) return value;
    }
    return std::nullopt;
}

HttpResult send(const HttpRequest& request) {
    if (const char* why = flaw(request)) return HttpFailure{why, true, false};
    start_http();
    if (request.allow_private) {
        thread_local HttpSession anywhere(true);
        return anywhere.send(request);
    }
    thread_local HttpSession outside(false);
    return outside.send(request);
}

void start_http() {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace pawl::outbound
