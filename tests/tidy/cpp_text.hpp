// A C++ file taken apart: code, comments and literals, each line by line. Not a parser: it knows
// only where comments and literals begin and end, which is enough for the rules. Plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::tidy {

struct Literal {
    std::size_t line = 0;  // where it begins; the first line is 1
    std::string text;      // as written; neighbours that the compiler joins are joined
};

struct CppText {
    std::vector<std::string> code;      // comments and literals are blanks
    std::vector<std::string> comments;  // everything else is blanks
    std::vector<Literal> literals;
};

CppText take_apart(std::string_view text);

}  // namespace pawl::tidy
