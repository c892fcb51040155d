// Name and version of this program. Constants.
#pragma once

#include <string_view>

namespace pawl::app {

#ifndef PAWL_VERSION
#error "PAWL_VERSION comes from the project() line of CMakeLists.txt"
#endif
inline constexpr std::string_view version = PAWL_VERSION;

}  // namespace pawl::app
