#include "settings/source.hpp"

#include <fmt/core.h>

#include "settings/well_known.hpp"

namespace pawl::app {

namespace {

std::string remedy_for(const Expanded& result) {
    if (!result.missing.starts_with("variable")) {
        return "put the value there, readable for this user only";
    }
    if (!supplied_in_development(result.missing_name).empty()) {
        return fmt::format("set {}, or try things out with --dev", result.missing_name);
    }
    return fmt::format("set {} in the environment", result.missing_name);
}

}  // namespace

void Source::error(Place place, std::string what, std::string remedy, std::string why) {
    findings_.push_back(
        {Severity::error, std::move(place), std::move(what), std::move(why), std::move(remedy)});
}

void Source::warning(Place place, std::string what, std::string remedy, std::string why) {
    findings_.push_back(
        {Severity::warning, std::move(place), std::move(what), std::move(why), std::move(remedy)});
}

std::string Source::expanded(std::string_view text, Place place, std::string_view key) {
    const Expanded result = expand(text, variables_, folder_);
    from_outside_ = result.from_outside;
    if (!result.wrong.empty()) {
        error(place, fmt::format("{} in {}", result.wrong, key),
              "write ${env:NAME} or ${file:PATH}");
        return {};
    }
    if (!result.missing.empty()) {
        if (missing_.empty()) missing_name_ = result.missing_name;
        missing_.push_back({Severity::error,
                            place,
                            fmt::format("{} has no value: {}", key, result.missing),
                            {},
                            remedy_for(result)});
        return {};
    }
    if (!result.exposed_file.empty()) {
        warning(place,
                fmt::format("{} is readable by every user of this machine", result.exposed_file),
                fmt::format("chmod 600 {}", result.exposed_file));
    }
    return result.text;
}

std::string Source::shown(std::string_view value) const {
    return from_outside_ ? "a value from outside" : fmt::format("\"{}\"", value);
}

Place nearest_place(const Places& places, std::string path, const std::string& file) {
    while (!path.empty()) {
        if (const auto found = places.find(path); found != places.end()) return found->second;
        const std::size_t cut = path.find_last_of(".[");
        path.resize(cut == std::string::npos ? 0 : cut);
    }
    return {file, 0, 0};
}

}  // namespace pawl::app
