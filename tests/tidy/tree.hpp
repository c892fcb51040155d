// The files of the source tree, as text. A plain value, read once; the tests of the rules make
// small trees of their own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::tidy {

struct File {
    std::string path;  // below the root, with slashes
    std::string text;

    std::string folder() const;  // all but the last component; empty: the root
    std::string name() const;
    std::string stage() const;  // the first component of the folder
    bool ends(std::string_view suffix) const { return path.ends_with(suffix); }
    bool cpp() const { return ends(".cpp") || ends(".hpp"); }
    bool header() const { return ends(".hpp"); }
    bool sql() const { return ends(".sql"); }
    // A test, or what only tests and measurements use.
    bool test() const;
};

struct Tree {
    std::string root;
    std::vector<File> files;  // sorted by path

    const File* find(std::string_view path) const;
};

// The files that are not in .gitignore: all that are tracked, or will be.
Tree read_tree(const std::string& root);

std::vector<std::string_view> lines_of(std::string_view text);

// The place of `word` at or after `from`, where it stands alone; npos where it does not.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

}  // namespace pawl::tidy
