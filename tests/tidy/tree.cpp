#include "tests/tidy/tree.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace pawl::tidy {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// The forms of .gitignore that this tree uses: a name, a leading "/", a trailing "/", a leading
// "*".
struct Ignored {
    std::vector<std::string> patterns;

    explicit Ignored(const fs::path& root) {
        const std::string text = read_file(root / ".gitignore");
        for (const std::string_view line : lines_of(text)) {
            if (!line.empty() && line.front() != '#') patterns.emplace_back(line);
        }
    }

    bool matches(const std::string& path, const std::string& name, bool folder) const {
        if (name == ".git") return true;
        return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
            if (pattern.ends_with('/')) {
                if (!folder) return false;
                pattern.remove_suffix(1);
            }
            if (pattern.starts_with('/')) return path == pattern.substr(1);
            if (pattern.starts_with('*')) return name.ends_with(pattern.substr(1));
            return name == pattern;
        });
    }
};

bool word_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::string File::folder() const {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string File::name() const {
    return path.substr(path.rfind('/') + 1);
}

std::string File::stage() const {
    const auto slash = path.find('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool File::test() const {
    return stage() == "tests" || stage() == "bench" || path.find("/tests/") != std::string::npos;
}

const File* Tree::find(std::string_view path) const {
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const File& file) { return file.path == path; });
    return found == files.end() ? nullptr : &*found;
}

Tree read_tree(const std::string& root) {
    Tree tree{root, {}};
    const Ignored ignored(root);
    // Files may come and go during the walk: a removed file does not count.
    std::error_code gone;
    for (auto at = fs::recursive_directory_iterator(root, gone); at != fs::end(at);
         at.increment(gone)) {
        const std::string path = at->path().lexically_relative(root).generic_string();
        if (ignored.matches(path, at->path().filename().string(), at->is_directory(gone))) {
            at.disable_recursion_pending();
        } else if (at->is_regular_file(gone)) {
            tree.files.push_back({path, read_file(at->path())});
        }
    }
    std::sort(tree.files.begin(), tree.files.end(),
              [](const File& a, const File& b) { return a.path < b.path; });
    return tree;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
    for (auto at = text.find(word, from); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool starts = at == 0 || !word_char(text[at - 1]) || !word_char(word.front());
        const bool stops = end == text.size() || !word_char(text[end]) || !word_char(word.back());
        if (starts && stops) return at;
    }
    return std::string_view::npos;
}

}  // namespace pawl::tidy
