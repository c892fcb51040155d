#include "tests/tidy/cpp_text.hpp"
#include "tests/tidy/layers.hpp"
#include "tests/tidy/rules.hpp"

namespace pawl::tidy {
namespace {

struct Include {
    std::size_t line = 0;
    bool angled = false;
    std::string path;
};

std::vector<Include> includes_of(const File& file) {
    std::vector<Include> includes;
    const CppText text = take_apart(file.text);
    const auto lines = lines_of(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        // Asked of the code, so that an include in a comment or a literal is none.
        const auto word = text.code[i].find("#include");
        if (word == std::string::npos) continue;
        const auto open = lines[i].find_first_of("<\"", word);
        const auto close = lines[i].find_first_of(">\"", open + 1);
        if (open == std::string_view::npos || close == std::string_view::npos) continue;
        includes.push_back({i + 1, lines[i][open] == '<',
                            std::string(lines[i].substr(open + 1, close - open - 1))});
    }
    return includes;
}

void judge_own(const File& file, const Include& include, Report& report) {
    const std::string from = file.stage();
    const auto slash = include.path.find('/');
    const std::string to = include.path.substr(0, slash);
    if (slash == std::string::npos) {
        report.add(file.path, include.line, "\"" + include.path + "\" does not say its folder",
                   "Write it from the root of the tree: \"" + from + "/" + include.path + "\"");
        return;
    }
    if (may_include(from, to)) return;
    if (!level_of(to)) {
        report.add(file.path, include.line, "\"" + include.path + "\" is in no stage of the tree",
                   "Only stages are included; a new one gets its level in tests/tidy/layers.hpp");
        return;
    }
    const bool narrow = level_of(from) > level_of(to);
    report.add(file.path, include.line,
               from + " (level " + std::to_string(*level_of(from)) + ") includes " + to +
                   " (level " + std::to_string(*level_of(to)) +
                   (narrow ? "), and is not to know it" : ")"),
               "Take the value as a parameter, or move the type down to a folder below both");
}

bool test_library(std::string_view path) {
    return path.starts_with("gtest/") || path.starts_with("gmock/") ||
           path.starts_with("rapidcheck");
}

bool system_header(std::string_view path) {
    const auto slash = path.find('/');
    if (slash == std::string_view::npos) return !path.ends_with(".hpp");
    constexpr std::array<std::string_view, 6> folders = {"sys",   "netinet", "arpa",
                                                         "linux", "net",     "fmt"};
    return std::find(folders.begin(), folders.end(), path.substr(0, slash)) != folders.end();
}

bool may_use(const ThirdParty& library, const File& file) {
    return std::any_of(library.users.begin(), library.users.end(), [&](std::string_view user) {
        if (user.empty()) return false;
        const std::string tests = std::string(user.substr(0, user.find('/'))) + "/tests/";
        return file.path.starts_with(user) || file.path.starts_with(tests);
    });
}

void judge_foreign(const File& file, const Include& include, Report& report) {
    const std::string written = "<" + include.path + ">";
    if (test_library(include.path)) {
        if (file.test()) return;
        report.add(file.path, include.line, written + " outside of a test",
                   "Move what needs it into a tests/ folder");
        return;
    }
    for (const ThirdParty& library : third_parties) {
        if (!include.path.starts_with(library.header)) continue;
        if (may_use(library, file)) return;
        report.add(file.path, include.line, std::string(library.name) + " is used here",
                   "Its one user is " + std::string(library.users[0]) +
                       "*: put behind that what you need from it");
        return;
    }
    if (system_header(include.path)) return;
    report.add(file.path, include.line, written + " is of a library that is not registered",
               "Give it one user, in tests/tidy/layers.hpp");
}

}  // namespace

Report include_direction(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        const std::string stage = file.stage();
        if (!file.cpp() || stage == "tests" || stage == "bench") continue;
        if (!level_of(stage)) {
            report.add(file.path, 1, "\"" + stage + "\" is not a stage of the tree",
                       "Move the file to a stage, or give the folder its level in "
                       "tests/tidy/layers.hpp");
            continue;
        }
        for (const Include& include : includes_of(file)) {
            if (!include.angled) judge_own(file, include, report);
        }
    }
    return report;
}

Report one_user_of_each_third_party(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        if (!file.cpp()) continue;
        for (const Include& include : includes_of(file)) {
            if (include.angled) judge_foreign(file, include, report);
        }
    }
    return report;
}

}  // namespace pawl::tidy
