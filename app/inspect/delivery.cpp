#include "app/inspect/delivery.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/text.hpp"

namespace pawl::app {
namespace {

Result<std::string> read_all(const std::string& file) {
    if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    if (!stream.is_open() || stream.bad() || errno == EISDIR) {
        return invalid(fmt::format("{} cannot be read: {}", file, std::strerror(errno)));
    }
    return bytes;
}

Result<std::pair<std::string, std::string>> read_header(std::string_view line) {
    const std::size_t colon = line.find(':');
    const std::string_view name = trimmed(line.substr(0, colon));
    if (colon == std::string_view::npos || name.empty()) {
        return invalid(fmt::format("\"{}\" is not a header; write --header 'Name: value'", line));
    }
    return std::pair(std::string(name), std::string(trimmed(line.substr(colon + 1))));
}

// Path and query of the request target.
std::string target_of(std::string_view url) {
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos) return std::string(url);
    const std::size_t path = url.find_first_of("/?", scheme + 3);
    if (path == std::string_view::npos) return "/";
    return (url[path] == '?' ? "/" : "") + std::string(url.substr(path));
}

}  // namespace

Result<providers::Delivery> read_delivery(const DescribedDelivery& described, Time now) {
    providers::Delivery delivery;
    delivery.method = described.method;
    delivery.url =
        described.url.empty() ? "/webhooks/" + described.provider : target_of(described.url);
    for (const std::string& line : described.headers) {
        auto header = read_header(line);
        if (!header) return header.error();
        delivery.headers.push_back(std::move(*header));
    }
    delivery.received_at = now;
    if (!described.at.empty()) {
        const auto at = parse_rfc3339(described.at);
        if (!at) return at.error();
        delivery.received_at = *at;
    }
    auto body = read_all(described.body);
    if (!body) return body.error();
    delivery.body = std::move(*body);
    return delivery;
}

Result<std::pair<std::string, std::string>> read_fetched(std::string_view text) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
        return invalid(fmt::format("\"{}\" is not a --fetched; write --fetched URL=FILE", text));
    }
    auto bytes = read_all(std::string(text.substr(equals + 1)));
    if (!bytes) return bytes.error();
    return std::pair(std::string(text.substr(0, equals)), std::move(*bytes));
}

}  // namespace pawl::app
