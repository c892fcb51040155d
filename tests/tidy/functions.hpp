// Finds the functions of a C++ file, and their lengths: by braces and by the style of the tree (a
// body's brace follows a blank, an initialiser's does not), not by a grammar. Plain values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/tidy/cpp_text.hpp"

namespace pawl::tidy {

struct Function {
    std::string name;
    std::size_t line = 0;   // of its first word
    std::size_t lines = 0;  // from there to its closing brace
};

// Lambdas and local classes belong to the function around them.
std::vector<Function> functions_of(const CppText& text);

}  // namespace pawl::tidy
