#include "tools/send/target.hpp"

#include <fmt/core.h>
#include <netdb.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/text.hpp"

namespace pawl::app {
namespace {

bool is_port(std::string_view text) {
    const auto port = to_number<std::uint16_t>(text);
    return port && *port > 0;
}

// A line break in a path or a host would inject a header.
bool is_visible(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

std::string Target::authority() const {
    const bool v6 = host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

std::string Target::url() const {
    return "http://" + authority() + path;
}

Result<Target> parse_target(std::string_view url) {
    constexpr std::string_view scheme = "http://";
    const auto wrong = [url](std::string_view why) {
        return invalid(fmt::format("\"{}\" is not a target: {}", url, why));
    };
    if (url.starts_with("https://")) {
        return wrong("`send` does not speak TLS; address the server itself, behind its proxy");
    }
    if (!url.starts_with(scheme)) return wrong("write http://HOST:PORT[/PATH]");
    if (!is_visible(url)) return wrong("it has blanks or unusual characters; percent-encode them");
    std::string_view rest = url.substr(scheme.size());
    const std::size_t slash = std::min(rest.find_first_of("/?"), rest.size());
    Target target{"", "80", std::string(rest.substr(slash))};
    if (!target.path.starts_with('/')) target.path.insert(0, "/");
    std::string_view authority = rest.substr(0, slash);
    const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
    if (bracket == std::string_view::npos) return wrong("a [ has no ]");
    const std::size_t colon = authority.find(':', bracket);
    target.host = authority.substr(0, colon);
    if (bracket > 0) target.host = authority.substr(1, bracket - 1);
    if (colon != std::string_view::npos) target.port = authority.substr(colon + 1);
    if (target.host.empty()) return wrong("it names no host");
    if (!is_port(target.port)) return wrong("its port is not one of 1 to 65535");
    return target;
}

Result<std::vector<Address>> look_up(const Target& target) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_ADDRCONFIG;
    addrinfo* found = nullptr;
    const int error = getaddrinfo(target.host.c_str(), target.port.c_str(), &wanted, &found);
    if (error != 0) {
        return unreachable(
            fmt::format("the name \"{}\" has no address: {}", target.host, gai_strerror(error)));
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, freeaddrinfo);
    std::vector<Address> addresses;
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        Address address;
        std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
        address.length = one->ai_addrlen;
        addresses.push_back(address);
    }
    return addresses;
}

}  // namespace pawl::app
