#include "base/json_parser.hpp"

#include <algorithm>

namespace pawl::json {
namespace {

// Deeper than any provider nests, shallow enough for the smallest thread stack.
constexpr unsigned depth_max = 128;

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The four digits after "\u", already known to be hex.
std::uint32_t code_unit(std::string_view four) {
    std::uint32_t unit = 0;
    for (const char c : four) unit = unit * 16 + static_cast<std::uint32_t>(hex_value(c));
    return unit;
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto byte = [&out](std::uint32_t value) {
        out += static_cast<char>(static_cast<unsigned char>(value));
    };
    if (code < 0x80) return byte(code);
    if (code < 0x800) {
        byte(0xc0U | (code >> 6U));
    } else {
        if (code < 0x10000) {
            byte(0xe0U | (code >> 12U));
        } else {
            byte(0xf0U | (code >> 18U));
            byte(0x80U | ((code >> 12U) & 0x3fU));
        }
        byte(0x80U | ((code >> 6U) & 0x3fU));
    }
    byte(0x80U | (code & 0x3fU));
}

// `at` stands on the 'u' and is moved to the last digit that was used.
bool append_code(std::string& out, std::string_view inside, std::size_t& at) {
    std::uint32_t code = code_unit(inside.substr(at + 1, 4));
    at += 4;
    if (code >= 0xdc00 && code <= 0xdfff) return false;
    if (code >= 0xd800 && code <= 0xdbff) {
        if (inside.substr(at + 1, 2) != "\\u") return false;
        const std::uint32_t low = code_unit(inside.substr(at + 3, 4));
        if (low < 0xdc00 || low > 0xdfff) return false;
        code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
        at += 6;
    }
    append_utf8(out, code);
    return true;
}

char plain_escape(char c) {
    switch (c) {
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return c;  // " \ and /
    }
}

}  // namespace

std::optional<std::string> unescape(std::string_view inside) {
    std::string out;
    out.reserve(inside.size());
    for (std::size_t at = 0; at < inside.size(); ++at) {
        if (inside[at] != '\\') {
            out += inside[at];
        } else if (inside[++at] != 'u') {
            out += plain_escape(inside[at]);
        } else if (!append_code(out, inside, at)) {
            return std::nullopt;
        }
    }
    return out;
}

bool Parser::fail(const char* why) {
    if (why_ == nullptr) why_ = why;
    return false;
}

Error Parser::error() const {
    return invalid("the JSON is not valid at byte " + std::to_string(at_) + ": " +
                   (why_ != nullptr ? why_ : "unknown"));
}

void Parser::skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
        ++at_;
    }
}

bool Parser::take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
}

bool Parser::parse() {
    constexpr std::size_t ordinary = 32;  // what most documents hold: room for it is made at once
    into_.nodes_.reserve(ordinary);
    keys_.reserve(ordinary);
    skip_space();
    if (!value(0)) return false;
    skip_space();
    return at_ == text_.size() || fail("bytes after the end of the value");
}

bool Parser::value(unsigned depth) {
    if (depth > depth_max) return fail("nested too deeply");
    const std::size_t self = into_.nodes_.size();
    into_.nodes_.emplace_back();
    into_.nodes_[self].begin = static_cast<std::uint32_t>(at_);
    const auto close = [&](Kind kind, bool good) {
        Node& node = into_.nodes_[self];
        node.kind = kind;
        node.end = static_cast<std::uint32_t>(at_);
        node.span = static_cast<std::uint32_t>(into_.nodes_.size() - self);
        return good;
    };
    switch (peek()) {
        case '{':
            return close(Kind::object, object(depth)) && unique_keys(self);
        case '[':
            return close(Kind::array, array(depth));
        case '"': {
            bool escaped = false;
            const bool good = string(escaped);
            into_.nodes_[self].escaped = escaped;
            return close(Kind::string, good);
        }
        case 't':
            return close(Kind::boolean, word("true"));
        case 'f':
            return close(Kind::boolean, word("false"));
        case 'n':
            return close(Kind::null, word("null"));
        default:
            return close(Kind::number, number());
    }
}

bool Parser::object(unsigned depth) {
    take('{');
    skip_space();
    if (take('}')) return true;
    while (member(depth)) {
        skip_space();
        if (take('}')) return true;
        if (!take(',')) return fail("expected , or }");
        skip_space();
    }
    return false;
}

bool Parser::member(unsigned depth) {
    const std::size_t begin = at_;
    bool escaped = false;
    if (peek() != '"' || !string(escaped)) return fail("expected a key in quotes");
    std::string_view key = text_.substr(begin + 1, at_ - begin - 2);
    if (escaped) {
        auto decoded = unescape(key);
        if (!decoded) return fail("half of a surrogate pair");
        key = into_.decoded_keys_.emplace_front(std::move(*decoded));
    }
    skip_space();
    if (!take(':')) return fail("expected :");
    skip_space();
    const std::size_t node = into_.nodes_.size();
    if (!value(depth + 1)) return false;
    into_.nodes_[node].key = key;
    return true;
}

bool Parser::array(unsigned depth) {
    take('[');
    skip_space();
    if (take(']')) return true;
    while (value(depth + 1)) {
        skip_space();
        if (take(']')) return true;
        if (!take(',')) return fail("expected , or ]");
        skip_space();
    }
    return false;
}

bool Parser::string(bool& escaped) {
    const std::size_t begin = at_;
    take('"');
    for (; at_ < text_.size(); ++at_) {
        const char c = text_[at_];
        if (c == '"') {
            ++at_;
            if (!escaped) return true;
            return unescape(text_.substr(begin + 1, at_ - begin - 2)).has_value() ||
                   fail("half of a surrogate pair");
        }
        if (static_cast<unsigned char>(c) < 0x20) return fail("a control character in a string");
        if (c != '\\') continue;
        escaped = true;
        if (!escape()) return fail("an unknown escape");
    }
    return fail("a string without an end");
}

// On the backslash; leaves `at_` on the escape's last character.
bool Parser::escape() {
    ++at_;
    const char c = peek();
    if (c != 'u')
        return c != '\0' && std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
    for (int i = 0; i < 4; ++i) {
        ++at_;
        if (hex_value(peek()) < 0) return false;
    }
    return true;
}

bool Parser::digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > begin;
}

bool Parser::number() {
    take('-');
    if (!take('0') && !digits()) return fail("expected a value");
    if (take('.') && !digits()) return fail("expected digits after the point");
    if (take('e') || take('E')) {
        if (!take('+')) take('-');
        if (!digits()) return fail("expected digits in the exponent");
    }
    return true;
}

bool Parser::word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return fail("expected a value");
    at_ += expected.size();
    return true;
}

// Two readers that disagree about which of two equal keys counts could be shown two amounts.
bool Parser::unique_keys(std::size_t object) {
    keys_.clear();
    const std::size_t end = object + into_.nodes_[object].span;
    for (std::size_t i = object + 1; i < end; i += into_.nodes_[i].span) {
        keys_.push_back(into_.nodes_[i].key);
    }
    std::sort(keys_.begin(), keys_.end());
    return std::adjacent_find(keys_.begin(), keys_.end()) == keys_.end() ||
           fail("a key that comes twice");
}

}  // namespace pawl::json
