#include "outbound/http_date.hpp"

#include <curl/curl.h>

#include <string>

namespace pawl::outbound {

std::optional<Time> parse_http_date(std::string_view text) {
    // curl accepts much that is not a date: a lone number, for a year or a time of day.
    if (text.find(':') == std::string_view::npos) return std::nullopt;
    const time_t seconds = curl_getdate(std::string(text).c_str(), nullptr);
    if (seconds == -1) return std::nullopt;
    return Time(std::chrono::seconds(seconds));
}

}  // namespace pawl::outbound
