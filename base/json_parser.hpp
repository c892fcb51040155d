// The recursive descent behind json::Document::parse: one pass over the text that checks the whole
// grammar of RFC 8259 and notes where each value lies. Lives on one thread's stack for one parse.
// simdjson's own readers were tried first: its DOM refuses integers above 64 bits and loses the
// spelling of a number, and its on-demand reader lets trailing bytes, duplicate keys and "1abc"
// pass.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace pawl::json {

// Decodes the inside of a string whose escapes have been checked, except for surrogate pairs.
std::optional<std::string> unescape(std::string_view inside);

class Parser {
  public:
    Parser(std::string_view text, Document& into) : text_(text), into_(into) {}
    bool parse();
    Error error() const;

  private:
    bool value(unsigned depth);
    bool object(unsigned depth);
    bool array(unsigned depth);
    bool member(unsigned depth);
    bool string(bool& escaped);
    bool escape();
    bool number();
    bool digits();
    bool word(std::string_view expected);
    bool unique_keys(std::size_t object);
    void skip_space();
    bool take(char c);
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool fail(const char* why);

    std::string_view text_;
    Document& into_;
    std::size_t at_ = 0;
    const char* why_ = nullptr;
    std::vector<std::string_view> keys_;  // scratch for unique_keys
};

}  // namespace pawl::json
