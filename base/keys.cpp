#include "base/keys.hpp"

#include <algorithm>

namespace pawl {
namespace {

// Each separates or marks something in an effect key: the escape, levels, ids, totals, repetitions.
constexpr std::string_view reserved = "%/:@#";

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

std::string escape_part(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto stays = [](char c) {
        return reserved.find(c) == std::string_view::npos && !is_control(c);
    };
    if (std::all_of(text.begin(), text.end(), stays)) return std::string(text);
    std::string escaped;
    escaped.reserve(text.size());
    for (const char c : text) {
        if (stays(c)) {
            escaped += c;
            continue;
        }
        escaped += '%';
        escaped += digits[static_cast<unsigned char>(c) >> 4U];
        escaped += digits[static_cast<unsigned char>(c) & 15U];
    }
    return escaped;
}

EffectKey make_effect_key(std::string_view books, std::string_view kind,
                          const std::vector<std::string>& id) {
    std::string key = escape_part(books) + "/" + escape_part(kind) + "/";
    for (std::size_t i = 0; i < id.size(); ++i) {
        if (i > 0) key += ':';
        key += escape_part(id[i]);
    }
    return EffectKey(std::move(key));
}

std::string payment_key(std::string_view order, int attempt) {
    return "pay:" + std::string(order) + ":" + std::to_string(attempt);
}

std::string cancel_key(std::string_view order, int attempt) {
    return "cancel:" + std::string(order) + ":" + std::to_string(attempt);
}

std::string refund_key(std::string_view order, int n) {
    return "refund:" + std::string(order) + ":" + std::to_string(n);
}

std::string step_key(std::string_view key, std::string_view step) {
    return std::string(key) + ":" + std::string(step);
}

}  // namespace pawl
