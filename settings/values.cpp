#include "settings/values.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/text.hpp"

namespace pawl::app {
namespace {

struct Unit {
    std::string_view suffix;
    std::int64_t bytes;
};
constexpr std::array<Unit, 5> units{
    {{"GiB", 1LL << 30}, {"MiB", 1LL << 20}, {"KiB", 1LL << 10}, {"B", 1}, {"", 1}}};

bool is_address(const std::string& host) {
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

}  // namespace

std::optional<std::int64_t> parse_size(std::string_view text) {
    std::int64_t count = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, count);
    if (error != std::errc{} || count < 0) return std::nullopt;
    const std::string_view suffix(end, static_cast<std::size_t>(last - end));
    for (const Unit& unit : units) {
        const bool fits = count <= std::numeric_limits<std::int64_t>::max() / unit.bytes;
        if (suffix == unit.suffix && fits) return count * unit.bytes;
    }
    return std::nullopt;
}

std::string size_text(std::int64_t bytes) {
    for (const Unit& unit : units) {
        if (bytes >= unit.bytes && bytes % unit.bytes == 0) {
            return fmt::format("{}{}", bytes / unit.bytes, unit.suffix);
        }
    }
    return "0B";
}

std::string to_text(const Listen& listen) {
    const bool six = listen.host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", six ? "[" : "", listen.host, six ? "]" : "", listen.port);
}

std::string url_of(const Listen& listen) {
    Listen nearest = listen;
    if (listen.host == "0.0.0.0") nearest.host = "127.0.0.1";
    if (listen.host == "::") nearest.host = "::1";
    return "http://" + to_text(nearest);
}

std::optional<Listen> parse_listen(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    std::string_view host = text.substr(0, colon);
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) host = host.substr(1, host.size() - 2);
    if (bracketed != (host.find(':') != std::string_view::npos)) return std::nullopt;
    const std::string_view digits = text.substr(colon + 1);
    Listen listen{std::string(host), 0};
    if (listen.host == "localhost") listen.host = "127.0.0.1";
    const auto port = to_number<std::uint16_t>(digits);
    listen.port = port.value_or(0);
    if (listen.port == 0 || !is_address(listen.host)) return std::nullopt;
    return listen;
}

bool is_loopback(const Listen& listen) {
    return listen.host.starts_with("127.") || listen.host == "::1";
}

bool is_plain_name(std::string_view text) {
    const auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    if (text.empty() || text.size() > 63 || !alnum(text.front())) return false;
    return std::all_of(text.begin(), text.end(),
                       [&](char c) { return alnum(c) || c == '-' || c == '_'; });
}

bool is_reserved_name(std::string_view text) {
    return text == "operator" || text == "reversal" || text == "payment";
}

}  // namespace pawl::app
