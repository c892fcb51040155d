// The prose of the tree as passages: comments, documents, messages, and the names of tests. Only
// comments and literals are recognised, not grammar. Plain values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/tree.hpp"

namespace pawl::tidy {

enum class ProseKind {
    sentences,  // a comment, a paragraph or an item of a list
    fragment,   // a message, a heading or a row of a table: words, not sentences
    test_name   // "Suite.Name" as lower-case words
};

struct Passage {
    ProseKind kind = ProseKind::sentences;
    std::size_t line = 0;  // the first line; a comment of several lines is one passage
    std::string text;      // without code in backticks and without the targets of links
};

std::vector<Passage> prose_of(const File& file);

std::vector<std::string_view> sentences_of(std::string_view text);

// The words in lower case. A name with a digit, an underscore or a dot in it is not a word.
std::vector<std::string> words_of(std::string_view text);

}  // namespace pawl::tidy
