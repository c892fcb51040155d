// The keys under which calls go out. They are derived from what the call is for, and from nothing
// else, so that whoever makes the call again makes it under the same key. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::outbound {

std::string payment_key(std::string_view order, int attempt);  // pay:<order>:<attempt>
std::string refund_key(std::string_view order, int n);         // refund:<order>:<n>
// Of one step of something that has a key itself.
std::string step_key(std::string_view key, std::string_view step);  // <key>:<step>

// The key as a gateway gets it: itself, or a UUIDv5 of it where it is too long.
std::string key_to_send(const std::string& key, std::size_t bytes_max);

std::string uuid_v5(std::string_view name);  // in a namespace of our own, which never changes

}  // namespace pawl::outbound
