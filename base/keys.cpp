#include "base/keys.hpp"

#include <algorithm>

namespace pawl {
namespace {

// Each separates or marks something in an effect key: the escape, levels, ids, totals, repetitions.
constexpr std::string_view reserved = "%/:@#";
constexpr std::string_view separators = ":@#";  // before an id's part, a total, a repetition

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

EffectKey root_of_payment(std::string_view books, std::string_view payment) {
    return make_effect_key(books, "capture", {std::string(payment)});
}

EffectKey total_key(const EffectKey& key, std::int64_t total) {
    return EffectKey(key.str() + '@' + std::to_string(total));
}

EffectKey repeated_key(const EffectKey& key, int n) {
    return EffectKey(key.str() + '#' + std::to_string(n));
}

EffectKey stem_of(const EffectKey& key) {
    return EffectKey(key.str().substr(0, key.str().find_first_of(separators)));
}

bool is_stem(const EffectKey& key) {
    return key.str().find_first_of(separators) == std::string::npos;
}

bool is_capture(const EffectKey& key) {
    constexpr std::string_view kind = "/capture";
    const std::size_t id = key.str().find_last_of('/');
    return id != std::string::npos && std::string_view(key.str()).substr(0, id).ends_with(kind);
}

std::vector<EffectKey> needs_met_by(const EffectKey& key) {
    std::vector<EffectKey> met{key};
    std::string_view text = key.str();
    for (std::size_t end = text.find_last_of(separators); end != std::string_view::npos;
         end = text.find_last_of(separators)) {
        text = text.substr(0, end);
        met.emplace_back(std::string(text));
    }
    return met;
}

bool meets(const EffectKey& posted, const EffectKey& need) {
    if (!posted.str().starts_with(need.str())) return false;
    const std::size_t end = need.str().size();
    return posted.str().size() == end || separators.find(posted.str()[end]) != std::string::npos;
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

std::string capture_key(std::string_view order, int attempt, int n) {
    return "capture:" + std::string(order) + ":" + std::to_string(attempt) + ":" +
           std::to_string(n);
}

std::string step_key(std::string_view key, std::string_view step) {
    return std::string(key) + ":" + std::string(step);
}

}  // namespace pawl
