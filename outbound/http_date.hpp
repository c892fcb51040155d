// Dates as HTTP writes them, in the three forms that RFC 9110 asks a reader to know. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.hpp"

namespace pawl::outbound {

std::optional<Time> parse_http_date(std::string_view text);

}  // namespace pawl::outbound
