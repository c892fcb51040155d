#include "base/encoding.hpp"

#include <array>
#include <cstdint>

namespace pawl {
namespace {

constexpr std::string_view standard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view url_safe =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

using Letters = std::array<std::int8_t, 256>;

constexpr Letters values_of(std::string_view alphabet) {
    Letters values{};
    for (auto& value : values) value = -1;
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
        values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
    }
    return values;
}

constexpr Letters standard_values = values_of(standard);
constexpr Letters url_safe_values = values_of(url_safe);

std::string encode64(std::string_view bytes, std::string_view alphabet) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    std::uint32_t pending = 0;
    unsigned bits = 0;
    for (const char byte : bytes) {
        pending = (pending << 8U) | static_cast<unsigned char>(byte);
        for (bits += 8; bits >= 6; bits -= 6) text += alphabet[(pending >> (bits - 6)) & 63U];
    }
    if (bits > 0) text += alphabet[(pending << (6 - bits)) & 63U];
    return text;
}

std::optional<std::string> decode64(std::string_view text, const Letters& values) {
    if (text.size() % 4 == 0) {
        for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    }
    if (text.size() % 4 == 1) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t pending = 0;
    unsigned bits = 0;
    for (const char letter : text) {
        const std::int8_t value = values[static_cast<unsigned char>(letter)];
        if (value < 0) return std::nullopt;
        pending = (pending << 6U) | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(static_cast<unsigned char>(pending >> bits));
    }
    // Two texts must not decode to the same bytes.
    if ((pending & ((1U << bits) - 1U)) != 0) return std::nullopt;
    return bytes;
}

constexpr Letters hex_values = [] {
    Letters values = values_of("0123456789abcdef");
    for (std::size_t i = 0; i < 6; ++i) values['A' + i] = static_cast<std::int8_t>(10 + i);
    return values;
}();

}  // namespace

std::string to_hex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text(bytes.size() * 2, '\0');
    char* letter = text.data();
    for (const char byte : bytes) {
        *letter++ = digits[static_cast<unsigned char>(byte) >> 4U];
        *letter++ = digits[static_cast<unsigned char>(byte) & 15U];
    }
    return text;
}

std::optional<std::string> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::string bytes(text.size() / 2, '\0');
    const auto value_at = [text](std::size_t i) {
        return hex_values[static_cast<unsigned char>(text[i])];
    };
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const int high = value_at(2 * i);
        const int low = value_at(2 * i + 1);
        if (high < 0 || low < 0) return std::nullopt;
        bytes[i] = static_cast<char>(high * 16 + low);
    }
    return bytes;
}

std::string to_base64(std::string_view bytes) {
    std::string text = encode64(bytes, standard);
    text.append((4 - text.size() % 4) % 4, '=');
    return text;
}

std::string to_base64url(std::string_view bytes) {
    return encode64(bytes, url_safe);
}

std::optional<std::string> from_base64(std::string_view text) {
    return decode64(text, standard_values);
}

std::optional<std::string> from_base64url(std::string_view text) {
    return decode64(text, url_safe_values);
}

}  // namespace pawl
