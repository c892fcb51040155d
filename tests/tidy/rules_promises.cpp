#include <algorithm>
#include <array>
#include <cctype>

#include "tests/tidy/cpp_text.hpp"
#include "tests/tidy/rules.hpp"

namespace pawl::tidy {
namespace {

bool shipped(const File& file) {
    return !file.test() && (file.cpp() || file.ends("openapi.json"));
}

// The literals of the program, and the paths of its API, which are members of a JSON object.
bool program_has(const Tree& tree, std::string_view folder, std::string_view literal) {
    for (const File& file : tree.files) {
        if (!shipped(file) || !file.path.starts_with(folder)) continue;
        const std::string quoted = "\"" + std::string(literal) + "\"";
        if (file.text.find(quoted) != std::string::npos) return true;
    }
    return false;
}

bool has_endpoint(const Tree& tree, std::string_view path) {
    for (const File& file : tree.files) {
        if (!shipped(file)) continue;
        const std::string opened = "\"" + std::string(path);
        for (auto at = file.text.find(opened); at != std::string::npos;
             at = file.text.find(opened, at + 1)) {
            const char next = file.text[at + opened.size()];
            if (next == '"' || next == '/') return true;
        }
    }
    return false;
}

// A command, an endpoint or a metric, as a document writes it in backticks.
enum class Promise { none, command, endpoint, metric };

Promise kind_of(std::string_view code) {
    if (code.starts_with("pawl ") && code.size() > 5 &&
        std::islower(static_cast<unsigned char>(code[5])) != 0) {
        return Promise::command;
    }
    if (code.starts_with("pawl_")) return Promise::metric;
    constexpr std::array<std::string_view, 2> folders = {"/etc/", "/proc/"};
    const bool folder = std::any_of(folders.begin(), folders.end(),
                                    [&](std::string_view one) { return code.starts_with(one); });
    const bool path =
        code.size() > 1 && code[0] == '/' && std::islower(static_cast<unsigned char>(code[1])) != 0;
    return path && !folder ? Promise::endpoint : Promise::none;
}

bool exists(const Tree& tree, Promise kind, std::string_view code) {
    if (kind == Promise::endpoint) return has_endpoint(tree, code);
    if (kind == Promise::metric) return program_has(tree, "", code.substr(0, code.find('{')));
    code.remove_prefix(5);
    return program_has(tree, "app/commands/", code.substr(0, code.find(' ')));
}

}  // namespace

Report promises_of_the_readme(const Tree& tree) {
    Report report;
    const File* readme = tree.find("README.md");
    if (readme == nullptr) return report;
    bool missing = false;
    std::size_t number = 0;
    for (const std::string_view line : lines_of(readme->text)) {
        ++number;
        if (line.starts_with("## ")) missing = line == "## What is not here yet";
        for (auto from = line.find('`'); from != std::string_view::npos;) {
            const auto end = line.find('`', from + 1);
            if (end == std::string_view::npos) break;
            const std::string_view code = line.substr(from + 1, end - from - 1);
            from = line.find('`', end + 1);
            const Promise kind = kind_of(code);
            if (kind == Promise::none || exists(tree, kind, code) != missing) continue;
            report.add(readme->path, number, "`" + std::string(code) + "`",
                       missing ? "It exists: move it out of \"What is not here yet\""
                               : "It does not exist: list it under \"What is not here yet\"");
        }
    }
    return report;
}

}  // namespace pawl::tidy
