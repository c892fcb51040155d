#include "tests/mutations/mutation.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>

namespace pawl::mutations {
namespace {

namespace fs = std::filesystem;

std::size_t occurrences(const std::string& text, const std::string& sought) {
    std::size_t count = 0;
    for (auto at = text.find(sought); at != std::string::npos; at = text.find(sought, at + 1)) {
        ++count;
    }
    return count;
}

bool is_snake_case(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
    });
}

bool known_key(std::string_view key) {
    constexpr std::string_view known[] = {"name",    "promise", "file",       "find",
                                          "replace", "tests",   "equivalent", "edit"};
    return std::find(std::begin(known), std::end(known), key) != std::end(known);
}

Edit edit_of(const toml::table& table) {
    return {table["file"].value_or(std::string()), table["find"].value_or(std::string()),
            table["replace"].value_or(std::string())};
}

Mutation mutation_of(const toml::table& table, const std::string& source) {
    Mutation mutation;
    mutation.source = source;
    mutation.name = table["name"].value_or(std::string());
    mutation.promise = table["promise"].value_or(std::string());
    mutation.equivalent = table["equivalent"].value_or(std::string());
    if (table.contains("file")) mutation.edits.push_back(edit_of(table));
    if (const auto* edits = table["edit"].as_array()) {
        for (const toml::node& one : *edits) {
            if (one.is_table()) mutation.edits.push_back(edit_of(*one.as_table()));
        }
    }
    if (const auto* tests = table["tests"].as_array()) {
        for (const toml::node& one : *tests) mutation.tests.push_back(one.value_or(std::string()));
    }
    return mutation;
}

void find_flaws(const toml::table& table, const Mutation& mutation, Catalogue& into) {
    const auto flaw = [&](const std::string& what) {
        into.problems.push_back(mutation.source + ": " + mutation.name + ": " + what);
    };
    for (const auto& [key, value] : table) {
        if (known_key(key.str())) continue;
        flaw("unknown key \"" + std::string(key.str()) + "\"; remove it");
    }
    if (!is_snake_case(mutation.name)) flaw("the name is not snake_case; rename it");
    if (mutation.promise.empty()) flaw("no promise; say which sentence it breaks");
    if (mutation.edits.empty()) flaw("no edit; give file, find and replace");
    for (const Edit& edit : mutation.edits) {
        if (edit.find.empty() || edit.find == edit.replace) {
            flaw("the edit of \"" + edit.file + "\" changes nothing; give find and replace");
        }
    }
    const bool named =
        !mutation.tests.empty() &&
        std::none_of(mutation.tests.begin(), mutation.tests.end(), [](const auto& test) {
            const auto colon = test.find(':');
            return colon == 0 || colon >= test.size() - 1;
        });
    if (!named) flaw("tests is not a list of \"kind:filter\"; name the tests that should fail");
}

void load_file(const fs::path& path, std::set<std::string>& names, Catalogue& into) {
    const std::string source = path.filename().string();
    try {
        const toml::table root = toml::parse(read_file(path), source);
        const auto* all = root["mutation"].as_array();
        if (all == nullptr || root.size() != 1) {
            into.problems.push_back(source + ": expected [[mutation]] tables and nothing else");
            return;
        }
        for (const toml::node& one : *all) {
            if (!one.is_table()) continue;
            Mutation mutation = mutation_of(*one.as_table(), source);
            find_flaws(*one.as_table(), mutation, into);
            if (!names.insert(mutation.name).second) {
                into.problems.push_back(source + ": " + mutation.name + ": the name is taken");
            }
            into.mutations.push_back(std::move(mutation));
        }
    } catch (const toml::parse_error& error) {
        into.problems.push_back(source + ":" + std::to_string(error.source().begin.line) + ": " +
                                std::string(error.description()));
    }
}

}  // namespace

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

Catalogue load_catalogue(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    Catalogue catalogue;
    std::set<std::string> names;
    for (const fs::path& file : files) load_file(file, names, catalogue);
    return catalogue;
}

std::vector<std::string> problems_in_tree(const Mutation& mutation, const fs::path& root) {
    std::vector<std::string> problems;
    for (const Edit& edit : mutation.edits) {
        const std::string where = mutation.source + ": " + mutation.name + ": " + edit.file;
        if (!fs::is_regular_file(root / edit.file)) {
            problems.push_back(where + " does not exist; name the file that has the text now");
            continue;
        }
        const std::size_t count = occurrences(read_file(root / edit.file), edit.find);
        if (count == 1) continue;
        problems.push_back(where + " has the text to find " + std::to_string(count) +
                           " times; make it fit exactly once");
    }
    return problems;
}

AppliedMutation::AppliedMutation(const Mutation& mutation, fs::path root) : root_(std::move(root)) {
    for (const Edit& edit : mutation.edits) {
        std::string text = read_file(root_ / edit.file);
        const bool known = std::any_of(originals_.begin(), originals_.end(),
                                       [&](const auto& one) { return one.first == edit.file; });
        if (!known) originals_.emplace_back(edit.file, text);
        const auto at = text.find(edit.find);
        if (at != std::string::npos) text.replace(at, edit.find.size(), edit.replace);
        write_file(root_ / edit.file, text);
    }
}

AppliedMutation::~AppliedMutation() {
    for (const auto& [file, text] : originals_) write_file(root_ / file, text);
}

}  // namespace pawl::mutations
