// Would the provider stage take this file? What it refuses would otherwise be found at the start.
#include <charconv>

#include "app/lint/lint.hpp"
#include "providers/provider.hpp"

namespace pawl::app {
namespace {

bool has_error(const Findings& findings, const std::string& file) {
    for (const Finding& finding : findings) {
        if (finding.severity == Severity::error && finding.place.file == file) return true;
    }
    return false;
}

// The stage knows rules by number and no lines: "rule 2 (payment.*): ..." is found again.
Place place_of(const ProviderFile& file, std::string_view complaint) {
    constexpr std::string_view rule = "rule ";
    if (complaint.starts_with(rule)) {
        std::size_t number = 0;
        const char* begin = complaint.data() + rule.size();
        std::from_chars(begin, complaint.data() + complaint.size(), number);
        if (number > 0) return file.place_of(path_of_rule(number - 1));
    }
    if (complaint.starts_with("secret")) return file.place_of("secrets");
    return file.place_of(complaint.starts_with("scheme") ? "scheme" : "");
}

}  // namespace

void lint_build(const ProviderFile& file, Findings& into) {
    if (!file.on || !file.sound || has_error(into, file.file)) return;
    const auto built = providers::Provider::create(file.config);
    if (built) return;
    std::string complaint = built.error().message;
    const std::string prefix = "provider " + file.config.name + ": ";
    if (complaint.starts_with(prefix)) complaint.erase(0, prefix.size());
    const Place place = place_of(file, complaint);
    into.push_back({Severity::error,
                    place,
                    std::move(complaint),
                    {},
                    "correct the file, or `pawl serve` will not start"});
}

}  // namespace pawl::app
