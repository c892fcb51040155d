#include "outbound/address_guard.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace pawl::outbound {
namespace {

struct Block {
    std::array<std::uint8_t, 16> first;
    unsigned bits;
    std::string_view what;
};

// IANA's special-purpose registry of IPv4: everything in it that is not globally reachable.
constexpr Block not_public_v4[] = {
    {{0}, 8, "this network"},
    {{10}, 8, "private"},
    {{100, 64}, 10, "carrier-grade NAT"},
    {{127}, 8, "loopback"},
    {{168, 63, 129, 16}, 32, "Azure's wire server, which knows a machine's secrets"},
    {{169, 254}, 16, "link-local, where clouds keep their metadata"},
    {{172, 16}, 12, "private"},
    {{192, 0, 0}, 24, "reserved for protocols"},
    {{192, 0, 2}, 24, "documentation"},
    {{192, 88, 99}, 24, "6to4 relay"},
    {{192, 168}, 16, "private"},
    {{198, 18}, 15, "benchmarking"},
    {{198, 51, 100}, 24, "documentation"},
    {{203, 0, 113}, 24, "documentation"},
    {{224}, 4, "multicast"},
    {{240}, 4, "reserved or broadcast"},
};

// The parts of 2000::/3, the only public range of IPv6, that are not public; and the best known
// ones outside it, for a more precise reason.
constexpr Block not_public_v6[] = {
    {{0x20, 0x01, 0x00, 0x00}, 32, "Teredo, which carries an IPv4 address"},
    {{0x20, 0x01, 0x00}, 23, "reserved for protocols"},
    {{0x20, 0x01, 0x0d, 0xb8}, 32, "documentation"},
    {{0x20, 0x02}, 16, "6to4, which carries an IPv4 address"},
    {{0x3f, 0xff, 0x00}, 20, "documentation"},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, "an IPv4-mapped IPv6 address"},
    {{0x00, 0x64, 0xff, 0x9b}, 32, "NAT64, which carries an IPv4 address"},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, "loopback"},
    {{0xfc}, 7, "private"},
    {{0xfe, 0x80}, 10, "link-local"},
    {{0xff}, 8, "multicast"},
};

bool is_in(std::span<const std::uint8_t> address, const Block& block) {
    for (unsigned bit = 0; bit < block.bits; ++bit) {
        const std::uint8_t mask = static_cast<std::uint8_t>(0x80U >> (bit % 8));
        if ((address[bit / 8] & mask) != (block.first[bit / 8] & mask)) return false;
    }
    return true;
}

std::string_view found_in(std::span<const Block> blocks, std::span<const std::uint8_t> address) {
    for (const Block& block : blocks) {
        if (is_in(address, block)) return block.what;
    }
    return {};
}

template <class Address>
Address as(const sockaddr& address) {
    Address copy{};
    std::memcpy(&copy, &address, sizeof copy);
    return copy;
}

}  // namespace

std::string_view why_not_public(std::span<const std::uint8_t> address) {
    if (address.size() == 4) return found_in(not_public_v4, address);
    if (address.size() != 16) return "of an unknown family";
    const std::string_view why = found_in(not_public_v6, address);
    if (!why.empty()) return why;
    return (address[0] & 0xe0U) == 0x20U ? std::string_view{} : "not a public unicast address";
}

std::string_view why_not_public(const sockaddr& address) {
    if (address.sa_family == AF_INET) {
        const auto v4 = as<sockaddr_in>(address);
        std::array<std::uint8_t, 4> bytes{};
        std::memcpy(bytes.data(), &v4.sin_addr, bytes.size());
        return why_not_public(bytes);
    }
    if (address.sa_family == AF_INET6) {
        const auto v6 = as<sockaddr_in6>(address);
        return why_not_public(std::span<const std::uint8_t>(v6.sin6_addr.s6_addr));
    }
    return "of an unknown family";
}

std::string to_text(const sockaddr& address) {
    char text[INET6_ADDRSTRLEN] = "";
    if (address.sa_family == AF_INET) {
        const auto v4 = as<sockaddr_in>(address);
        inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    } else if (address.sa_family == AF_INET6) {
        const auto v6 = as<sockaddr_in6>(address);
        inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    }
    return text;
}

}  // namespace pawl::outbound
