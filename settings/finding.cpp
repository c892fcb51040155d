#include "settings/finding.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

namespace pawl::app {

std::string to_text(const Place& place) {
    if (place.file.empty()) return "environment";
    if (place.line == 0) return place.file;
    if (place.column == 0) return fmt::format("{}:{}", place.file, place.line);
    return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

std::string to_text(Severity severity) {
    switch (severity) {
        case Severity::error:
            return "error";
        case Severity::warning:
            return "warning";
        case Severity::note:
            return "note";
    }
    return "error";
}

std::string sentence(const Finding& finding) {
    std::string text = fmt::format("{}: {}", to_text(finding.place), finding.what);
    if (!finding.why.empty()) text += fmt::format(" ({})", finding.why);
    if (!finding.remedy.empty()) text += "; " + finding.remedy;
    return text;
}

bool has_errors(const Findings& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& finding) { return finding.severity == Severity::error; });
}

void sort_by_place(Findings& findings) {
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
        return std::tie(a.place.file, a.place.line, a.place.column) <
               std::tie(b.place.file, b.place.line, b.place.column);
    });
}

}  // namespace pawl::app
