#include "tests/tidy/functions.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace pawl::tidy {
namespace {

enum class Scope { outer, body, value };  // outer: a namespace or a class

bool blank(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

// Without a leading template<...>, whose defaults look like assignments.
std::string_view without_template(std::string_view header) {
    while (header.starts_with("template")) {
        int depth = 0;
        std::size_t at = header.find('<');
        for (; at < header.size(); ++at) {
            if (header[at] == '<') ++depth;
            if (header[at] == '>' && --depth == 0) break;
        }
        header.remove_prefix(std::min(at + 1, header.size()));
        while (!header.empty() && blank(header.front())) header.remove_prefix(1);
    }
    return header;
}

bool begins_with_word(std::string_view header, std::string_view word) {
    return header.starts_with(word) && (header.size() == word.size() || blank(header[word.size()]));
}

bool assigns(std::string_view header) {
    int depth = 0;
    for (std::size_t i = 0; i < header.size(); ++i) {
        if (header[i] == '(') ++depth;
        if (header[i] == ')') --depth;
        if (header[i] != '=' || depth > 0) continue;
        const auto name = header.substr(0, i);
        const auto named = name.rfind("operator");
        if (named == std::string_view::npos || name.size() - named > 11) return true;
    }
    return false;
}

Scope scope_of(std::string_view header, bool blank_before) {
    header = without_template(header);
    if (begins_with_word(header, "inline")) header.remove_prefix(7);
    constexpr std::array<std::string_view, 5> outer = {"namespace", "class", "struct", "union",
                                                       "extern"};
    for (const std::string_view word : outer) {
        if (begins_with_word(header, word)) return Scope::outer;
    }
    if (begins_with_word(header, "enum")) return Scope::value;
    const bool called = header.find('(') != std::string_view::npos;
    return called && blank_before && !assigns(header) ? Scope::body : Scope::value;
}

std::string name_of(std::string_view header) {
    header = without_template(header);
    if (header.starts_with("TEST")) return std::string(header.substr(0, header.find(')') + 1));
    std::string_view before = header.substr(0, header.find('('));
    while (!before.empty() && blank(before.back())) before.remove_suffix(1);
    const auto start = before.find_last_of(" \t*&");
    return std::string(start == std::string_view::npos ? before : before.substr(start + 1));
}

class Finder {
  public:
    std::vector<Function> find(const CppText& text) {
        bool preprocessor = false;
        for (const std::string& line : text.code) {
            ++line_;
            const auto first = line.find_first_not_of(" \t");
            preprocessor = preprocessor || (first != std::string::npos && line[first] == '#');
            if (!preprocessor) {
                for (const char c : line) take(c);
                take(' ');
            }
            preprocessor = preprocessor && line.ends_with('\\');
        }
        return std::move(found_);
    }

  private:
    bool in_body() const { return !scopes_.empty() && scopes_.back() != Scope::outer; }

    void take(char c) {
        if (in_body()) {
            if (c == '{') scopes_.push_back(Scope::value);
            if (c == '}') close();
            return;
        }
        if (c == '(') ++parens_;
        if (c == ')') --parens_;
        if (parens_ == 0 && c == '{') return open();
        if (parens_ == 0 && c == '}') return close();
        if (parens_ == 0 && c == ';') return forget();
        if (c == ':' && access_label()) return forget();
        if (header_.empty() && blank(c)) return;
        if (header_.empty()) begun_ = line_;
        header_ += c;
    }
    bool access_label() const {
        return header_ == "public" || header_ == "private" || header_ == "protected";
    }
    void open() {
        const Scope scope = scope_of(header_, !header_.empty() && blank(header_.back()));
        scopes_.push_back(scope);
        if (scope == Scope::body) current_ = {name_of(header_), begun_, 0};
        if (scope != Scope::value) forget();
    }
    void close() {
        if (scopes_.empty()) return;
        const Scope scope = scopes_.back();
        scopes_.pop_back();
        if (scope == Scope::outer) forget();
        if (scope != Scope::body) return;
        current_.lines = line_ - current_.line + 1;
        found_.push_back(current_);
        forget();
    }
    void forget() { header_.clear(); }

    std::vector<Scope> scopes_;
    std::string header_;  // what was written since the last statement ended
    std::size_t begun_ = 0;
    std::size_t line_ = 0;
    int parens_ = 0;
    Function current_;
    std::vector<Function> found_;
};

}  // namespace

std::vector<Function> functions_of(const CppText& text) {
    return Finder().find(text);
}

}  // namespace pawl::tidy
