// A call's key (base/keys.hpp) in the form that a gateway takes. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::outbound {

// The key as a gateway gets it: itself, or a UUIDv5 of it if it is too long.
std::string key_to_send(const std::string& key, std::size_t bytes_max);

std::string uuid_v5(std::string_view name);  // in a namespace of Pawl's, which never changes

}  // namespace pawl::outbound
