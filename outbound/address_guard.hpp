// Decides which addresses Pawl may connect to. A client that makes Pawl call a URL must not reach
// what only Pawl can: loopback, its own network, the cloud's metadata (SSRF). The check runs at
// connect time, on the resolved address, because a name may resolve to another address each time.
// Pure; any thread.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pawl::outbound {

// Returns the reason why an address is not public unicast, in a word or two; empty if it is. 4 or
// 16 bytes in network order.
std::string_view why_not_public(std::span<const std::uint8_t> address);

// Checks the address of a socket. An address that is neither IPv4 nor IPv6 is not public.
std::string_view why_not_public(const sockaddr& address);

std::string to_text(const sockaddr& address);  // without the port

}  // namespace pawl::outbound
