#include "tests/tidy/cpp_text.hpp"

#include <cctype>

namespace pawl::tidy {
namespace {

bool word_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Taker {
  public:
    explicit Taker(std::string_view text) : text_(text) { new_line(); }

    CppText take() {
        while (at_ < text_.size()) {
            if (looking_at("//")) {
                line_comment();
            } else if (looking_at("/*")) {
                comment_until("*/");
            } else if (text_[at_] == '"' && raw_prefix()) {
                raw_literal();
            } else if (text_[at_] == '"') {
                literal('"');
            } else if (text_[at_] == '\'' && !digit_separator()) {
                literal('\'');
            } else {
                code();
            }
        }
        return std::move(out_);
    }

  private:
    bool looking_at(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
    char before() const { return at_ == 0 ? ' ' : text_[at_ - 1]; }
    bool raw_prefix() const {
        if (before() != 'R') return false;
        if (at_ < 2 || !word_char(text_[at_ - 2])) return true;
        return text_[at_ - 2] == '8' || text_[at_ - 2] == 'u' || text_[at_ - 2] == 'L';
    }
    // 1'000 and 0xff'ff, but not L'x'.
    bool digit_separator() const {
        return std::isxdigit(static_cast<unsigned char>(before())) != 0 && at_ + 1 < text_.size() &&
               word_char(text_[at_ + 1]);
    }

    void new_line() {
        out_.code.emplace_back();
        out_.comments.emplace_back();
    }
    void put(char code, char comment) {
        if (text_[at_] == '\n') {
            new_line();
        } else {
            out_.code.back() += code;
            out_.comments.back() += comment;
        }
        ++at_;
    }
    void code() {
        if (std::isspace(static_cast<unsigned char>(text_[at_])) == 0) joins_ = false;
        put(text_[at_], ' ');
    }
    void line_comment() {
        while (at_ < text_.size() && text_[at_] != '\n') put(' ', text_[at_]);
    }
    void comment_until(std::string_view end) {
        while (at_ < text_.size() && !looking_at(end)) put(' ', text_[at_]);
        for (std::size_t i = 0; i < end.size() && at_ < text_.size(); ++i) put(' ', text_[at_]);
    }

    void begin_literal() {
        if (!joins_) out_.literals.push_back({out_.code.size(), ""});
        joins_ = true;
    }
    void literal(char quote) {
        begin_literal();
        put(quote, ' ');
        while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) keep();
            keep();
        }
        if (at_ < text_.size()) put(quote, ' ');
    }
    void raw_literal() {
        begin_literal();
        const auto open = text_.find('(', at_);
        if (open == std::string_view::npos) return code();
        const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
        while (at_ <= open) put(' ', ' ');
        while (at_ < text_.size() && !looking_at(end)) keep();
        for (std::size_t i = 0; i < end.size() && at_ < text_.size(); ++i) put(' ', ' ');
    }
    void keep() {
        if (at_ >= text_.size()) return;
        out_.literals.back().text += text_[at_];
        put(' ', ' ');
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool joins_ = false;  // only blanks since the last literal
    CppText out_;
};

}  // namespace

CppText take_apart(std::string_view text) {
    return Taker(text).take();
}

}  // namespace pawl::tidy
