#include <algorithm>

#include "tests/tidy/cpp_text.hpp"
#include "tests/tidy/functions.hpp"
#include "tests/tidy/rules.hpp"

namespace pawl::tidy {
namespace {

// Above this a file holds two subjects. A smaller limit cuts classes in two, by line and not by
// subject.
constexpr std::size_t file_lines_max = 600;
constexpr std::size_t columns_max = 100;  // two files side by side on a screen

// Characters, not bytes: the bytes that only continue a character do not count.
std::size_t width(std::string_view line) {
    return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    }));
}

}  // namespace

Report functions_too_long(const Tree& tree, std::size_t lines_max) {
    Report report;
    for (const File& file : tree.files) {
        if (!file.cpp()) continue;
        for (const Function& function : functions_of(take_apart(file.text))) {
            if (function.lines <= lines_max) continue;
            report.add(file.path, function.line,
                       function.name + " has " + std::to_string(function.lines) + " lines, " +
                           std::to_string(lines_max) + " is the limit",
                       "Give its parts names; move a table of cases out of the function");
        }
    }
    return report;
}

Report files_too_long(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        const std::size_t lines = lines_of(file.text).size();
        if (!file.cpp() || lines <= file_lines_max) continue;
        report.add(file.path, lines, "the file has " + std::to_string(lines) + " lines",
                   "It does more than one thing: split it where its name stops fitting");
    }
    return report;
}

Report lines_too_wide(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        if (!file.cpp() && !file.sql()) continue;
        const auto lines = lines_of(file.text);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (width(lines[i]) <= columns_max) continue;
            report.add(file.path, i + 1,
                       "the line is " + std::to_string(width(lines[i])) + " characters wide",
                       "Break it at " + std::to_string(columns_max) + "; `make fmt` does the code");
        }
    }
    return report;
}

}  // namespace pawl::tidy
