#include <algorithm>
#include <optional>

#include "tests/tidy/layers.hpp"
#include "tests/tidy/rules.hpp"

namespace pawl::tidy {
namespace {

// Documents of what was, and not of what is.
bool is_map(const File& file) {
    return file.ends(".md") && file.path != "CHANGELOG.md" && file.name() != "RESULTS.md" &&
           file.folder() != "docs/adr";
}

bool is_stage_path(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || !level_of(text.substr(0, slash))) return false;
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '/' ||
               c == '.' || c == '-';
    });
}

// A file, a folder, or a file without its ending: `ledger/decide`.
bool exists(const Tree& tree, std::string_view path) {
    while (path.ends_with('/')) path.remove_suffix(1);
    return std::any_of(tree.files.begin(), tree.files.end(), [&](const File& file) {
        const std::string_view there = file.path;
        if (!there.starts_with(path)) return false;
        return there.size() == path.size() || there[path.size()] == '/' ||
               there[path.size()] == '.';
    });
}

std::vector<std::string_view> quoted_in(std::string_view line) {
    std::vector<std::string_view> all;
    for (std::size_t at = line.find('`'); at != line.npos; at = line.find('`', at)) {
        const std::size_t end = line.find('`', at + 1);
        if (end == line.npos) break;
        all.push_back(line.substr(at + 1, end - at - 1));
        at = end + 1;
    }
    return all;
}

// "```cpp ledger/decide.cpp" quotes from that file; "```cpp" does not.
std::optional<std::string_view> quoted_file(std::string_view line) {
    const std::size_t blank = line.find(' ');
    if (!line.starts_with("```") || blank == line.npos) return std::nullopt;
    return line.substr(blank + 1);
}

std::string_view trimmed(std::string_view line) {
    const std::size_t first = line.find_first_not_of(' ');
    return first == line.npos ? std::string_view() : line.substr(first);
}

void check_quotes(const Tree& tree, const File& document, Report& report) {
    const File* source = nullptr;
    std::size_t from = 0;
    const auto lines = lines_of(document.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string_view line = trimmed(lines[i]);
        if (line.starts_with("```")) {
            const auto path = quoted_file(line);
            source = path ? tree.find(*path) : nullptr;
            from = 0;
            if (path && source == nullptr) {
                report.add(document.path, i + 1, "no file " + std::string(*path),
                           "Name the file that the lines are from");
            }
            continue;
        }
        if (source == nullptr || line.empty() || line == "...") continue;
        const std::size_t found = source->text.find(line, from);
        from = found == std::string::npos ? from : found + line.size();
        if (found != std::string::npos) continue;
        report.add(document.path, i + 1, "not in " + source->path + " (behind the line before)",
                   "Quote it as it is by now");
    }
}

}  // namespace

Report paths_that_lead_nowhere(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        if (!is_map(file)) continue;
        const auto lines = lines_of(file.text);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            for (const std::string_view path : quoted_in(lines[i])) {
                if (!is_stage_path(path) || exists(tree, path) ||
                    exists(tree, file.folder() + "/" + std::string(path))) {
                    continue;
                }
                report.add(file.path, i + 1, "there is no " + std::string(path),
                           "Name the place where it is by now");
            }
        }
    }
    return report;
}

Report rooms_that_are_not_there(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        if (file.name() != "README.md" || !level_of(file.stage())) continue;
        const auto lines = lines_of(file.text);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (!lines[i].starts_with("| `")) continue;
            for (std::string_view name : quoted_in(lines[i].substr(0, lines[i].find('|', 1)))) {
                while (name.ends_with('*') || name.ends_with('.')) name.remove_suffix(1);
                const std::string wanted =
                    name.starts_with('*') ? std::string(name.substr(1)) : "/" + std::string(name);
                const bool there =
                    std::any_of(tree.files.begin(), tree.files.end(), [&](const File& one) {
                        return one.path.starts_with(file.folder() + "/") &&
                               one.path.find(wanted, file.folder().size()) != std::string::npos;
                    });
                if (there) continue;
                report.add(file.path, i + 1, "there is no " + std::string(name) + " here",
                           "Name what the folder holds by now");
            }
        }
    }
    return report;
}

Report quotes_out_of_date(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        if (is_map(file)) check_quotes(tree, file, report);
    }
    return report;
}

}  // namespace pawl::tidy
