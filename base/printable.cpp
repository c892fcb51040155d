#include "base/printable.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

#include "base/json.hpp"

namespace pawl {
namespace {

struct Letter {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
    bool valid = true;
};

// One letter of UTF-8; a byte that begins none stands for itself.
Letter first_letter(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return {lead};
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    const std::string_view whole = text.substr(0, bytes);
    if (whole.size() < bytes || !json::is_utf8(whole)) return {lead, 1, false};
    std::uint32_t code = lead & (0xFFU >> (bytes + 1));
    for (const char c : whole.substr(1)) code = code << 6U | (static_cast<unsigned>(c) & 0x3FU);
    return {code, bytes};
}

bool is_control(std::uint32_t code) {
    const bool c0_or_c1 = code < 0x20 || (code >= 0x7F && code < 0xA0);
    const bool ends_line = code == 0x2028 || code == 0x2029;
    const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
                       code == 0x200E || code == 0x200F || code == 0x061C;
    const bool invisible = (code >= 0x200B && code <= 0x200D) ||
                           (code >= 0x2060 && code <= 0x2064) || code == 0xFEFF || code == 0xAD ||
                           code == 0x180E;
    return c0_or_c1 || ends_line || turns || invisible;
}

}  // namespace

void append_printable(std::string& out, std::string_view text, std::string_view keep) {
    while (!text.empty()) {
        const Letter letter = first_letter(text);
        const bool kept = letter.code < 0x80 && keep.find(text[0]) != std::string_view::npos;
        if (!kept && (!letter.valid || is_control(letter.code))) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", letter.code);
        } else {
            out += text.substr(0, letter.bytes);
        }
        text.remove_prefix(letter.bytes);
    }
}

std::string printable(std::string_view text, std::string_view keep) {
    std::string out;
    append_printable(out, text, keep);
    return out;
}

std::string shell_word(std::string_view text) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@%+=,";
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) {
        return std::string(text);
    }
    std::string word;
    if (printable(text) == text) {
        for (const char c : text) {
            word += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
        }
        return "'" + word + "'";
    }
    for (const char c : text) {
        const bool stays = plain.find(c) != std::string_view::npos;
        word += stays ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return "$'" + word + "'";
}

}  // namespace pawl
