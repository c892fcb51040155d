// An SQL file as words: comments and the insides of quotes are left out. Plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::tidy {

struct SqlWord {
    std::string text;  // upper case; a quoted piece is one word, "'" or "$$" or a quoted name
    std::size_t line = 0;
};

std::vector<SqlWord> sql_words(std::string_view text);

}  // namespace pawl::tidy
