#include "settings/loading.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "settings/files.hpp"
#include "settings/well_known.hpp"

namespace pawl::app {
namespace {

namespace fs = std::filesystem;

// The files of one folder in the order of their names; a folder that is not there has none.
std::vector<fs::path> toml_files(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

void unparsed(Findings& into, Place place, std::string what, std::string remedy) {
    into.push_back(
        {Severity::error, std::move(place), std::move(what), {}, std::move(remedy), true});
}

std::optional<toml::table> parse(const std::string& file, Findings& findings) {
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream.is_open()) {
        unparsed(findings, {file, 0, 0}, fmt::format("cannot be read: {}", std::strerror(errno)),
                 "let this user read it");
        return std::nullopt;
    }
    try {
        return toml::parse(text, file);
    } catch (const toml::parse_error& error) {
        const auto begin = error.source().begin;
        unparsed(findings, {file, begin.line, begin.column},
                 fmt::format("this is not TOML: {}", error.description()),
                 "correct this line or the one above it (texts stand in quotes)");
        return std::nullopt;
    }
}

void collect(const Source& source, Findings& into, bool with_missing = true) {
    into.insert(into.end(), source.findings().begin(), source.findings().end());
    if (!with_missing) return;
    into.insert(into.end(), source.missing().begin(), source.missing().end());
}

void refuse_published(const ProviderFile& file, Findings& into) {
    for (const std::string& secret : file.config.secrets) {
        const std::string_view where = published_in(secret);
        if (where.empty()) continue;
        into.push_back(
            {Severity::error, file.place_of("secrets"),
             fmt::format("provider \"{}\" uses a secret published in {}", file.config.name, where),
             "every sender could sign with it",
             "use the secret that the provider made for you, or start with --dev"});
    }
}

void refuse_taken_name(const ProviderFile& file, const Settings& settings, Findings& into) {
    for (const ProviderFile& other : settings.providers) {
        if (other.config.name != file.config.name || file.config.name.empty()) continue;
        into.push_back({Severity::error,
                        file.place_of("name"),
                        fmt::format("provider \"{}\" is also defined at {}", file.config.name,
                                    to_text(other.place_of("name"))),
                        {},
                        "give one of them another name, or remove its file"});
        return;
    }
}

// A file that says enabled = "if_secrets" is switched off by a missing variable; any other is
// wrong. Works for providers and gateways.
template <class File>
void decide_on(const Source& source, Enabled enabled, File& file) {
    if (enabled == Enabled::no) {
        file.on = false;
        file.off_because = "enabled = false";
    } else if (enabled == Enabled::if_secrets && !source.missing().empty()) {
        file.on = false;
        file.off_because = source.missing().front().what;
    }
}

Variables with_development_secrets(const LoadOptions& options) {
    if (!options.dev && !options.demo_secrets) return options.variables;
    return [inner = options.variables](const std::string& name) -> std::optional<std::string> {
        auto value = inner(name);
        const std::string_view supplied = supplied_in_development(name);
        if (value || supplied.empty()) return value;
        // A key of test mode: where live mode is served, the sandbox is off.
        if (name == sandbox_api_key_variable && inner("PAWL_MODE") == "live") return value;
        return std::string(supplied);
    };
}

bool accepts_well_known(const LoadOptions& options) {
    return options.dev || options.demo_secrets || options.accept_well_known;
}

std::vector<std::string> origins_of_secrets(const toml::table& table) {
    std::vector<std::string> origins;
    const toml::node* node = table.get("secrets");
    const toml::array* list = node == nullptr ? nullptr : node->as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        origins.push_back(origin_of(list->get(i)->value_or(std::string_view())));
    }
    if (node != nullptr && node->is_string()) {
        origins.push_back(origin_of(node->value_or(std::string_view())));
    }
    return origins;
}

void load_provider(const std::string& file, const LoadOptions& options, Loaded& into) {
    const auto table = parse(file, into.findings);
    if (!table) return;
    const Variables variables = with_development_secrets(options);
    Source source(file, into.settings.folder, variables);
    TableReader root(*table, "", source);
    ProviderFile provider;
    provider.file = file;
    Enabled enabled = Enabled::yes;
    read_provider(root, provider.config, enabled);
    provider.places = source.places();
    decide_on(source, enabled, provider);
    if (!source.missing().empty()) provider.missing = source.missing().front();
    provider.missing_name = source.missing_name();
    provider.secret_origins = origins_of_secrets(*table);
    collect(source, into.findings, provider.on);
    provider.sound = !has_errors(source.findings()) && source.missing().empty();
    if (!options.accept_unbuilt) refuse_unbuilt(provider, into.findings);
    if (!accepts_well_known(options)) refuse_published(provider, into.findings);
    refuse_taken_name(provider, into.settings, into.findings);
    into.settings.providers.push_back(std::move(provider));
}

// A published key lets any server that answers under it claim that anything was paid.
void refuse_published(const GatewayFile& gateway, const Source& source, Findings& into) {
    const std::string_view where = published_in(gateway.api_key);
    if (where.empty()) return;
    into.push_back({Severity::error, source.place_of("api_key"),
                    fmt::format("gateway \"{}\" uses a key published in {}", gateway.name, where),
                    "no money can move under it",
                    "use the key that the gateway made for you, or start with --dev"});
}

void load_gateway(const std::string& file, const LoadOptions& options, Loaded& into) {
    const auto table = parse(file, into.findings);
    if (!table) return;
    const Variables variables = with_development_secrets(options);
    Source source(file, into.settings.folder, variables);
    TableReader root(*table, "", source);
    GatewayFile gateway;
    gateway.file = file;
    Enabled enabled = Enabled::yes;
    read_gateway(root, gateway, enabled);
    gateway.places = source.places();
    decide_on(source, enabled, gateway);
    if (enabled == Enabled::if_secrets) gateway.missing_name = source.missing_name();
    collect(source, into.findings, gateway.on);
    if (!options.accept_unbuilt) refuse_unbuilt(gateway, into.findings);
    if (!accepts_well_known(options)) {
        refuse_published(gateway, source, into.findings);
    }
    for (const GatewayFile& other : into.settings.gateways) {
        if (other.name != gateway.name || gateway.name.empty()) continue;
        into.findings.push_back(
            {Severity::error,
             source.place_of("name"),
             fmt::format("gateway \"{}\" is also defined in {}", gateway.name, other.file),
             {},
             "give one of them another name, or remove its file"});
    }
    into.settings.gateways.push_back(std::move(gateway));
}

}  // namespace

void load_program(const LoadOptions& options, Loaded& into) {
    const std::string file = (into.settings.folder / "pawl.toml").string();
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return;  // every key has a default
    const auto table = parse(file, into.findings);
    if (!table) return;
    Source source(file, into.settings.folder, options.variables);
    TableReader root(*table, "", source);
    read_program(root, into.settings);
    into.settings.places = source.places();
    collect(source, into.findings);
}

void load_providers(const LoadOptions& options, Loaded& into) {
    for (const fs::path& file : toml_files(into.settings.folder / "providers")) {
        load_provider(file.string(), options, into);
    }
}

void load_gateways(const LoadOptions& options, Loaded& into) {
    for (const fs::path& path : toml_files(into.settings.folder / "gateways")) {
        load_gateway(path.string(), options, into);
    }
}

}  // namespace pawl::app
