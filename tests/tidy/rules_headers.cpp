#include "tests/tidy/cpp_text.hpp"
#include "tests/tidy/rules.hpp"

namespace pawl::tidy {

Report using_namespace_in_headers(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        if (!file.header()) continue;
        const auto code = take_apart(file.text).code;
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (find_word(code[i], "using namespace") == std::string_view::npos) continue;
            report.add(file.path, i + 1, "`using namespace` in a header",
                       "Every file that includes it gets the names too: name what you use");
        }
    }
    return report;
}

Report header_beginnings(const Tree& tree) {
    Report report;
    for (const File& file : tree.files) {
        if (!file.header()) continue;
        if (!file.text.starts_with("//")) {
            report.add(file.path, 1, "the header does not begin with a comment",
                       "Define the thing in it, and state its owner and its threads");
        }
        const auto code = take_apart(file.text).code;
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (code[i].find_first_not_of(" \t") == std::string::npos) continue;
            if (code[i].starts_with("#pragma once")) break;
            report.add(file.path, i + 1, "`#pragma once` is not the first line after the comment",
                       "Move it there");
            break;
        }
    }
    return report;
}

}  // namespace pawl::tidy
