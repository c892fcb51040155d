#include "intents/deliveries/delivery_block.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/json.hpp"

namespace pawl::intents {
namespace {

void append_bytes(std::string& to, std::uint64_t value, int bytes) {
    for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
        to += static_cast<char>((value >> static_cast<unsigned>(shift)) & 0xffU);
    }
}

}  // namespace

std::string header_lines(const providers::Headers& headers) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : headers) bytes += name.size() + value.size() + 3;
    std::string lines;
    lines.reserve(bytes);
    for (const auto& [name, value] : headers) lines.append(name).append(": ").append(value) += '\n';
    return lines;
}

providers::Headers headers_of(std::string_view lines) {
    providers::Headers headers;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        lines.remove_prefix(std::min(lines.size(), line.size() + 1));
        const std::size_t colon = line.find(": ");
        if (colon == std::string_view::npos) continue;
        headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
    return headers;
}

std::string storable(std::string_view text) {
    const bool sound = json::is_utf8(text);
    std::string out(text);
    for (char& c : out) {
        if (c == '\0' || (!sound && static_cast<unsigned char>(c) > 0x7e)) c = '?';
    }
    return out;
}

void DeliveryBlock::add(const ProviderName& provider, const providers::Delivery& delivery,
                        const std::string& remote) {
    const auto since_epoch = std::chrono::duration_cast<std::chrono::microseconds>(
        delivery.received_at.time_since_epoch());
    append_bytes(raw_, static_cast<std::uint64_t>(since_epoch.count()), 8);
    add_field(provider.str());
    add_field(storable(delivery.method));
    add_field(storable(delivery.url));
    add_field(storable(remote));
    add_field(header_lines(delivery.headers));
    add_field(delivery.body);
    received_at_ =
        count_ == 0 ? delivery.received_at : std::max(received_at_, delivery.received_at);
    ++count_;
}

void DeliveryBlock::add_field(std::string_view field) {
    if (field.size() > INT32_MAX) throw std::length_error("a delivery is too large to be stored");
    append_bytes(raw_, field.size(), 4);
    raw_ += field;
}

}  // namespace pawl::intents
