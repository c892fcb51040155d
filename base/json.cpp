#include "base/json.hpp"

#include <simdjson.h>

#include <charconv>
#include <limits>

#include "base/json_parser.hpp"

namespace pawl::json {

Result<Pointer> Pointer::parse(std::string_view text) {
    Pointer pointer;
    if (text.empty()) return pointer;
    if (text[0] != '/')
        return invalid("\"" + std::string(text) + "\" is not a JSON pointer: no leading /");
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '/') {
            pointer.tokens_.emplace_back();
        } else if (text[at] != '~') {
            pointer.tokens_.back() += text[at];
        } else {
            const char code = at + 1 < text.size() ? text[++at] : '\0';
            if (code != '0' && code != '1') {
                return invalid("\"" + std::string(text) + "\" has a ~ that is neither ~0 nor ~1");
            }
            pointer.tokens_.back() += code == '0' ? '~' : '/';
        }
    }
    return pointer;
}

std::optional<std::string> Value::text() const {
    switch (kind()) {
        case Kind::number:
        case Kind::boolean:
            return std::string(raw());
        case Kind::string: {
            const std::string_view inside = raw().substr(1, raw().size() - 2);
            return node_->escaped ? unescape(inside) : std::string(inside);
        }
        default:
            return std::nullopt;
    }
}

std::vector<Value> Value::children() const {
    std::vector<Value> found;
    if (kind() != Kind::array && kind() != Kind::object) return found;
    for (std::uint32_t i = 1; i < node_->span; i += node_[i].span) {
        found.emplace_back(text_, node_ + i);
    }
    return found;
}

std::optional<Value> Value::child(const std::string& token) const {
    if (kind() == Kind::object) {
        for (std::uint32_t i = 1; i < node_->span; i += node_[i].span) {
            if (node_[i].key == token) return Value(text_, node_ + i);
        }
        return std::nullopt;
    }
    if (kind() != Kind::array || token.empty() || (token.size() > 1 && token[0] == '0')) {
        return std::nullopt;
    }
    std::uint32_t index = 0;
    const char* end = token.data() + token.size();
    const auto [stop, failed] = std::from_chars(token.data(), end, index);
    if (failed != std::errc() || stop != end) return std::nullopt;
    for (std::uint32_t i = 1; i < node_->span; i += node_[i].span) {
        if (index-- == 0) return Value(text_, node_ + i);
    }
    return std::nullopt;
}

std::string text_at(const Value& value, std::string_view pointer) {
    const auto found = value.at(Pointer::parse(pointer).value());
    return found ? found->text().value_or("") : "";
}

std::optional<Value> Value::at(const Pointer& pointer) const {
    std::optional<Value> here = *this;
    for (const auto& token : pointer.tokens()) {
        here = here->child(token);
        if (!here) break;
    }
    return here;
}

bool is_utf8(std::string_view text) {
    return simdjson::validate_utf8(text.data(), text.size());
}

Result<Document> Document::parse(std::string_view text) {
    if (text.size() >= std::numeric_limits<std::uint32_t>::max())
        return invalid("the JSON is too long");
    if (!is_utf8(text)) return invalid("the text is not UTF-8");
    Document document;
    document.text_ = text;
    document.nodes_.reserve(text.size() / 16 + 8);
    Parser parser(text, document);
    if (!parser.parse()) return parser.error();
    return document;
}

std::string minify(std::string_view text) {
    std::string out(text.size() + 64, '\0');  // simdjson stores whole vectors at a time
    std::size_t size = 0;
    if (simdjson::minify(text.data(), text.size(), out.data(), size) != simdjson::SUCCESS)
        return {};
    out.resize(size);
    return out;
}

}  // namespace pawl::json
