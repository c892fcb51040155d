#include "settings/settings.hpp"

#include <fmt/core.h>

#include <array>

#include "settings/environment.hpp"
#include "settings/loading.hpp"

namespace pawl::app {
namespace {

namespace fs = std::filesystem;

// An administrator's files go before the shipped ones.
constexpr std::array<std::string_view, 3> usual_folders{"config", "/etc/pawl",
                                                        "/usr/share/pawl/config"};

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

void find_folder(const LoadOptions& options, Loaded& into) {
    const std::string from_variable = options.variables("PAWL_CONFIG").value_or("");
    const std::string asked = options.folder.empty() ? from_variable : options.folder;
    if (!asked.empty()) {
        into.settings.folder = fs::path(asked).lexically_normal();
        if (is_folder(asked)) return;
        into.findings.push_back({Severity::error,
                                 {options.folder.empty() ? "PAWL_CONFIG" : "--config", 0, 0},
                                 fmt::format("\"{}\" is not a readable directory", asked),
                                 {},
                                 "name the directory that holds pawl.toml and providers/",
                                 true});
        return;
    }
    for (const std::string_view usual : usual_folders) {
        if (!is_folder(usual)) continue;
        into.settings.folder = usual;
        return;
    }
    into.findings.push_back({Severity::error,
                             {},
                             "there is no configuration directory",
                             {},
                             "run in a directory that has config/, or set PAWL_CONFIG",
                             true});
}

}  // namespace

Place ProviderFile::place_of(std::string path) const {
    return nearest_place(places, std::move(path), file);
}

Loaded load(const LoadOptions& options) {
    Loaded loaded;
    loaded.settings.dev = options.dev;
    find_folder(options, loaded);
    if (loaded.ok()) {
        load_program(options, loaded);
        if (options.with_providers) {
            load_providers(options, loaded);
            load_gateways(options, loaded);
        }
    }
    apply_environment(options.variables, loaded.settings, loaded.findings);
    for (ProviderFile& file : loaded.settings.providers) {
        file.config.mode = loaded.settings.server.mode;
    }
    sort_by_place(loaded.findings);
    return loaded;
}

std::string error_lines(const Findings& findings) {
    std::string lines;
    for (const Finding& finding : findings) {
        if (finding.severity == Severity::error) lines += sentence(finding) + "\n";
    }
    return lines;
}

}  // namespace pawl::app
