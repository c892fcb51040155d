#include "tests/tidy/sql_text.hpp"

#include <algorithm>
#include <cctype>

namespace pawl::tidy {
namespace {

bool word_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Words {
  public:
    explicit Words(std::string_view text) : text_(text) {}

    std::vector<SqlWord> take() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (looking_at("--")) {
                skip_to("\n", 0);
            } else if (looking_at("/*")) {
                skip_to("*/", 2);
            } else if (c == '\'' || c == '"') {
                const std::string quote(1, c);
                add(quote);
                ++at_;
                skip_to(quote, 1);
            } else if (c == '$' && !dollar_tag().empty()) {
                const std::string tag(dollar_tag());
                add("$$");
                at_ += tag.size();
                skip_to(tag, tag.size());
            } else if (word_char(c)) {
                word();
            } else {
                if (std::isspace(static_cast<unsigned char>(c)) == 0) add(std::string(1, c));
                step(1);
            }
        }
        return std::move(words_);
    }

  private:
    bool looking_at(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
    // "$$" or "$tag$"; a parameter like $1 is neither.
    std::string_view dollar_tag() const {
        if (at_ + 1 == text_.size()) return {};
        std::size_t end = at_ + 1;
        while (end < text_.size() && word_char(text_[end])) ++end;
        const bool closed = end < text_.size() && text_[end] == '$';
        const bool number = std::isdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0;
        return closed && !number ? text_.substr(at_, end + 1 - at_) : std::string_view();
    }
    void step(std::size_t count) {
        for (; count > 0 && at_ < text_.size(); --count, ++at_) {
            if (text_[at_] == '\n') ++line_;
        }
    }
    void skip_to(std::string_view end, std::size_t beyond) {
        const auto found = std::min(text_.find(end, at_), text_.size());
        step(found - at_ + beyond);
    }
    void add(std::string text) { words_.push_back({std::move(text), line_}); }
    void word() {
        std::string text;
        while (at_ < text_.size() && word_char(text_[at_])) {
            text += static_cast<char>(std::toupper(static_cast<unsigned char>(text_[at_++])));
        }
        add(std::move(text));
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::vector<SqlWord> words_;
};

}  // namespace

std::vector<SqlWord> sql_words(std::string_view text) {
    return Words(text).take();
}

}  // namespace pawl::tidy
