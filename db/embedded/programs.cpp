#include "db/embedded/programs.hpp"

#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/process.hpp"

namespace pawl::db::cluster {
namespace {

constexpr std::chrono::milliseconds version_limit{5000};  // it prints one line

bool executable(const std::string& path) {
    return access(path.c_str(), X_OK) == 0;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string wanted_bin(const EmbeddedOptions& options) {
    return options.pg_bin.empty() ? variable("PAWL_PG_BIN") : options.pg_bin;
}

// "postgres (PostgreSQL) 15.18 (Debian ...)"
int ask_version(const std::string& bin) {
    process::Command command;
    command.argv = {bin + "/postgres", "--version"};
    command.env = {"LC_ALL=C"};
    auto finished = process::run(command, version_limit);
    if (!finished || !finished->succeeded) return 0;
    auto closing = finished->output.find(") ");
    return closing == std::string::npos ? 0 : major_of(finished->output.substr(closing + 2));
}

std::vector<std::string> candidates(const EmbeddedOptions& options) {
    std::vector<std::string> bins;
    for (const auto& pattern : options.search) {
        glob_t found{};
        if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
            bins.insert(bins.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
        }
        globfree(&found);
    }
    if (!options.search_path) return bins;
    std::istringstream path(variable("PATH"));
    for (std::string folder; std::getline(path, folder, ':');) {
        if (!folder.empty() && folder.front() == '/') bins.push_back(folder);
    }
    return bins;
}

bool complete(const std::string& bin) {
    return executable(bin + "/postgres") && executable(bin + "/initdb");
}

std::vector<Programs> installed(const EmbeddedOptions& options) {
    std::vector<Programs> found;
    for (const auto& bin : candidates(options)) {
        if (!complete(bin)) continue;
        // PATH may hold a link to the real folder, next to which initdb looks for its files.
        std::error_code ignored;
        auto real = std::filesystem::canonical(bin + "/postgres", ignored).parent_path().string();
        const auto& used = ignored || !complete(real) ? bin : real;
        auto same = [&](const Programs& seen) { return seen.bin == used; };
        if (std::any_of(found.begin(), found.end(), same)) continue;
        if (int major = ask_version(used)) found.push_back({major, used});
    }
    auto newer = [](const Programs& a, const Programs& b) { return a.major > b.major; };
    std::stable_sort(found.begin(), found.end(), newer);
    return found;
}

Result<Programs> programs_in(const std::string& bin) {
    if (!complete(bin)) {
        return invalid("PAWL_PG_BIN is " + bin +
                       ", which has no programs postgres and initdb: name PostgreSQL's bin folder, "
                       "or unset it");
    }
    if (int major = ask_version(bin)) return Programs{major, bin};
    return invalid("PAWL_PG_BIN is " + bin + ", whose postgres does not report its version");
}

std::string list(const std::vector<Programs>& found) {
    if (found.empty()) return "none is installed";
    std::string text = "installed:";
    for (const auto& programs : found) {
        text += " " + std::to_string(programs.major) + " in " + programs.bin;
    }
    return text;
}

}  // namespace

int major_of(const std::string& version) {
    int major = 0;
    for (char c : version) {
        if (!std::isdigit(static_cast<unsigned char>(c)) || major > 1000) break;
        major = major * 10 + (c - '0');
    }
    return major;
}

Result<Programs> newest_programs(const EmbeddedOptions& options) {
    auto wanted = wanted_bin(options);
    if (!wanted.empty()) return programs_in(wanted);
    auto found = installed(options);
    if (!found.empty() && found.front().major >= oldest_major) return found.front();
    return invalid("no PostgreSQL " + std::to_string(oldest_major) + " or newer on this machine (" +
                   list(found) +
                   "): install the package postgresql, name its bin folder in PAWL_PG_BIN, or a "
                   "running server in PAWL_DATABASE_URL");
}

Result<Programs> programs_for(int major, const std::string& cluster,
                              const EmbeddedOptions& options) {
    auto wanted = wanted_bin(options);
    auto version = std::to_string(major);
    if (!wanted.empty()) {
        auto programs = programs_in(wanted);
        if (!programs || programs->major == major) return programs;
        return invalid("the cluster in " + cluster + " was made by PostgreSQL " + version +
                       ", but PAWL_PG_BIN (" + wanted + ") is PostgreSQL " +
                       std::to_string(programs->major) + ": name version " + version + "'s");
    }
    auto found = installed(options);
    for (const auto& programs : found) {
        if (programs.major == major) return programs;
    }
    return invalid("the cluster in " + cluster + " was made by PostgreSQL " + version +
                   ", whose programs are missing (" + list(found) +
                   "): install the package postgresql-" + version +
                   ", or move the data over with pg_upgrade");
}

}  // namespace pawl::db::cluster
