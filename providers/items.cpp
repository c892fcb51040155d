#include "providers/items.hpp"

namespace pawl::providers {
namespace {

class Splitter {
  public:
    explicit Splitter(std::string_view text) : text_(text) {}

    bool enter(const std::string& member) {
        if (!take('{')) return false;
        while (!take('}')) {
            const auto key = value();
            if (!key || !take(':')) return false;
            if (*key == '"' + member + '"') return true;
            if (!value()) return false;
            if (!take(',') && peek() != '}') return false;
        }
        return false;
    }
    std::optional<std::vector<std::string_view>> array() {
        std::vector<std::string_view> items;
        if (!take('[')) return std::nullopt;
        if (take(']')) return items;
        for (;;) {
            const auto one = value();
            if (!one) return std::nullopt;
            items.push_back(*one);
            if (take(']')) return items;
            if (!take(',')) return std::nullopt;
        }
    }

  private:
    void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
    char peek() {
        skip_blanks();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char c) {
        if (peek() != c || at_ == text_.size()) return false;
        ++at_;
        return true;
    }
    bool skip_string() {
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '\\')
                ++at_;
            else if (text_[at_] == '"')
                return ++at_, true;
        }
        return false;
    }
    // Returns the text up to the comma, colon or bracket that ends it.
    std::optional<std::string_view> value() {
        skip_blanks();
        const std::size_t begin = at_;
        std::size_t depth = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"') {
                if (!skip_string()) return std::nullopt;
                if (depth == 0) break;
                continue;
            }
            const bool closes = c == '}' || c == ']';
            if (depth == 0 && (closes || c == ',' || c == ':')) break;
            if (c == '{' || c == '[') ++depth;
            ++at_;
            if (closes && --depth == 0) break;
        }
        const std::size_t end = text_.find_last_not_of(" \t\r\n", at_ - 1);
        if (end == std::string_view::npos || end < begin || depth > 0) return std::nullopt;
        return text_.substr(begin, end - begin + 1);
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

std::optional<std::vector<std::string_view>> split_items(std::string_view body,
                                                         const json::Pointer& items) {
    Splitter splitter(body);
    for (const std::string& member : items.tokens()) {
        if (!splitter.enter(member)) return std::nullopt;
    }
    return splitter.array();
}

}  // namespace pawl::providers
