// A mutation: a small edit of the product that breaks one promise, and the tests that should fail.
// It is data (tests/mutations/*.toml): text to find and text to put in its place, so that it
// survives lines that move. Plain values; one thread.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pawl::mutations {

struct Edit {
    std::string file;  // below the root of the tree, with slashes
    std::string find;  // occurs exactly once in the file
    std::string replace;
};

struct Mutation {
    std::string name;
    std::string promise;
    std::string equivalent;  // why no test can notice it; empty: one must
    std::vector<Edit> edits;
    std::vector<std::string> tests;
    std::string source;  // the .toml file, for messages
};

struct Catalogue {
    std::vector<Mutation> mutations;
    std::vector<std::string> problems;  // one line each
};

// Every *.toml of the folder, in the order of file names; malformed entries become problems.
Catalogue load_catalogue(const std::filesystem::path& folder);

// Edits that do not apply to this tree: the file is missing, or the text is not there exactly once.
std::vector<std::string> problems_in_tree(const Mutation& mutation,
                                          const std::filesystem::path& root);

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

// Applies all edits of a mutation, and restores the files when it goes out of scope. REQUIRES: no
// problems_in_tree.
class AppliedMutation {
  public:
    AppliedMutation(const Mutation& mutation, std::filesystem::path root);
    ~AppliedMutation();
    AppliedMutation(const AppliedMutation&) = delete;
    AppliedMutation& operator=(const AppliedMutation&) = delete;

  private:
    std::filesystem::path root_;
    std::vector<std::pair<std::string, std::string>> originals_;  // file, text
};

}  // namespace pawl::mutations
