// Which addresses the outside may be. Whoever can make us call a URL of his choice must not reach
// what only we can reach: loopback, our own network, the cloud's metadata. It is asked at connect
// time, about the address that was resolved, because a name may mean another address each time.
// Pure; any thread.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pawl::outbound {

// Why it is not a public unicast address, in a word or two; empty where it is one. 4 or 16 bytes
// in network order.
std::string_view why_not_public(std::span<const std::uint8_t> address);

// Of what is about to be connected to. What is neither IPv4 nor IPv6 is not public.
std::string_view why_not_public(const sockaddr& address);

std::string to_text(const sockaddr& address);  // without the port

}  // namespace pawl::outbound
