#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "tests/tidy/layers.hpp"
#include "tests/tidy/rules.hpp"

namespace pawl::tidy {
namespace {

std::string parent_of(const std::string& folder) {
    const auto slash = folder.rfind('/');
    return slash == std::string::npos ? "" : folder.substr(0, slash);
}

// The same in every stage, and explained once, in tests/README.md and STYLE.md.
bool understood(const std::string& folder) {
    const std::string parent = parent_of(folder);
    const std::string name = folder.substr(parent.empty() ? 0 : parent.size() + 1);
    return level_of(parent) && (name == "tests" || name == "sql");
}

// A folder may leave its explanation to the README above it, which then names it: `name/`.
bool explained(const Tree& tree, const std::string& folder) {
    if (tree.find(folder + "/README.md") != nullptr || understood(folder)) return true;
    const std::string parent = parent_of(folder);
    if (parent.empty()) return false;
    const File* above = tree.find(parent + "/README.md");
    const std::string name = folder.substr(parent.size() + 1);
    return above != nullptr && above->text.find("`" + name + "/") != std::string::npos;
}

bool says_nothing(std::string_view part) {
    constexpr std::array<std::string_view, 9> empty_words = {
        "util", "utils", "utility", "common", "helper", "helpers", "manager", "managers", "misc"};
    return std::find(empty_words.begin(), empty_words.end(), part) != empty_words.end();
}

// The host of every URL in a line, in lower case.
std::vector<std::string> hosts_in(std::string_view line) {
    std::vector<std::string> hosts;
    for (auto at = line.find("://"); at != std::string_view::npos; at = line.find("://", at + 1)) {
        std::string host;
        for (const char c : line.substr(at + 3)) {
            if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') break;
            host += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        hosts.push_back(std::move(host));
    }
    return hosts;
}

// A test may make up hosts that look like real ones; .example and its like belong to no machine.
bool somebodys_own(const std::string& host, bool in_test) {
    constexpr std::array<std::string_view, 6> words = {"registry", "artifactory", "nexus",
                                                       "jfrog",    "mirror",      "proxy"};
    constexpr std::array<std::string_view, 5> ends = {".internal", ".corp", ".lan", ".local",
                                                      ".intranet"};
    constexpr std::array<std::string_view, 3> nobodys = {".example", ".test", ".invalid"};
    const auto ends_with = [&](std::string_view end) { return host.ends_with(end); };
    if (std::any_of(nobodys.begin(), nobodys.end(), ends_with)) return false;
    const bool named = std::any_of(words.begin(), words.end(), [&](std::string_view word) {
        return host.find(word) != std::string::npos;
    });
    return named || (!in_test && std::any_of(ends.begin(), ends.end(), ends_with));
}

// Below a user's directory; not the end of another path or of a variable. The build machine's own
// is known from the tree itself.
bool somebodys_path(std::string_view line) {
    for (const std::string folder : {"home", "Users"}) {
        const std::string place = "/" + folder + "/";
        for (auto at = line.find(place); at != std::string_view::npos;
             at = line.find(place, at + 1)) {
            const char before = at == 0 ? ' ' : line[at - 1];
            const auto after = at + place.size();
            const bool begins = std::isalnum(static_cast<unsigned char>(before)) == 0 &&
                                std::string_view("._-/}~*").find(before) == std::string_view::npos;
            if (begins && after < line.size() &&
                std::isalnum(static_cast<unsigned char>(line[after])) != 0) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

Report folders_without_readme(const Tree& tree) {
    std::set<std::string> folders;
    for (const File& file : tree.files) {
        for (std::string folder = file.folder(); !folder.empty(); folder = parent_of(folder)) {
            folders.insert(folder);
        }
    }
    Report report;
    for (const std::string& folder : folders) {
        if (folder.starts_with('.') || folder.find("/corpus") != std::string::npos) continue;
        if (explained(tree, folder)) continue;
        report.add(folder + "/README.md", 1, "the folder has none",
                   "Say why it exists, what belongs here and what does not; or name `" +
                       folder.substr(folder.rfind('/') + 1) + "/` in the README above");
    }
    return report;
}

Report names_that_say_nothing(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        std::string part;
        for (const char c : file.path + "/") {
            if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
                part += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
                continue;
            }
            if (says_nothing(part)) {
                report.add(file.path, 1, "the name says \"" + part + "\" and that says nothing",
                           "Name what is in it; if that takes two names, it is two files");
            }
            part.clear();
        }
    }
    return report;
}

Report machine_paths_and_hosts(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        if (file.path.find("/corpus/") != std::string::npos) continue;
        const auto lines = lines_of(file.text);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const bool ours = tree.root.size() > 5 && lines[i].find(tree.root) != lines[i].npos;
            if (ours || somebodys_path(lines[i])) {
                report.add(file.path, i + 1, "a path of one machine",
                           "Make it relative, or take it from the environment");
            }
            for (const std::string& host : hosts_in(lines[i])) {
                if (!somebodys_own(host, file.test())) continue;
                report.add(file.path, i + 1, "the host " + host,
                           "Leave it to the configuration of the machine");
            }
        }
    }
    return report;
}

}  // namespace pawl::tidy
