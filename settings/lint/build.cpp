// Compiles each provider file as the provider stage does, so that lint finds errors of the start.
#include <fmt/core.h>

#include <charconv>

#include "providers/provider.hpp"
#include "settings/lint/lint.hpp"

namespace pawl::app {
namespace {

bool has_error(const Findings& findings, const std::string& file) {
    for (const Finding& finding : findings) {
        if (finding.severity == Severity::error && finding.place.file == file) return true;
    }
    return false;
}

// The stage knows rules and secrets by number: 2 of "rule 2 (payment.*): ..."; 0 where it names
// none.
std::size_t number_after(std::string_view word, std::string_view complaint) {
    std::size_t number = 0;
    if (complaint.starts_with(word)) {
        const char* begin = complaint.data() + word.size();
        std::from_chars(begin, complaint.data() + complaint.size(), number);
    }
    return number;
}

Place place_of(const ProviderFile& file, std::string_view complaint) {
    const std::size_t rule = number_after("rule ", complaint);
    if (rule > 0) return file.place_of(path_of_rule(rule - 1));
    if (complaint.starts_with("secret")) return file.place_of("secrets");
    return file.place_of(complaint.starts_with("scheme") ? "scheme" : "");
}

// Where the value of the secret that is complained about comes from; empty where it is not about
// one, or the file itself holds it.
std::string origin_in(const ProviderFile& file, std::string_view complaint) {
    const std::size_t number = number_after("secret ", complaint);
    if (number == 0 || number > file.secret_origins.size()) return {};
    return file.secret_origins[number - 1];
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
    std::string remedy = "correct the file, or `pawl serve` will not start";
    if (const std::string origin = origin_in(file, complaint); !origin.empty()) {
        complaint += fmt::format(" ({})", origin);
        remedy = fmt::format("copy the webhook's secret from {} into it", file.config.name);
    }
    into.push_back({Severity::error, place, std::move(complaint), {}, std::move(remedy)});
}

}  // namespace pawl::app
