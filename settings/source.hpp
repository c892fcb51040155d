// One configuration file while it is read: the target of its findings, the source of its ${...}
// values, and the line of every key that was read, for later checks ("rule[2].effect_key" -> line
// 41). Owned by the loader, one thread.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "settings/expand.hpp"
#include "settings/finding.hpp"

namespace pawl::app {

using Places = std::map<std::string, Place>;

// The nearest known place: of the key itself, else of its table, else of the file.
Place nearest_place(const Places& places, std::string path, const std::string& file);

class Source {
  public:
    Source(std::string file, std::filesystem::path folder, const Variables& variables)
        : file_(std::move(file)), folder_(std::move(folder)), variables_(variables) {}

    void error(Place place, std::string what, std::string remedy, std::string why = {});
    void warning(Place place, std::string what, std::string remedy, std::string why = {});

    // Expands, reporting a fault of `text`; empty if it could not be expanded.
    std::string expanded(std::string_view text, Place place, std::string_view key);
    // Names the value expanded last: in quotes, unless it may be a secret.
    std::string shown(std::string_view value) const;

    void remember(const std::string& path, Place place) { places_[path] = std::move(place); }
    Place place_of(std::string path) const {
        return nearest_place(places_, std::move(path), file_);
    }

    const std::string& file() const { return file_; }
    const Places& places() const { return places_; }
    const Findings& findings() const { return findings_; }
    const Findings& missing() const { return missing_; }  // values that the operator must supply
    const std::string& missing_name() const { return missing_name_; }  // first missing name

  private:
    std::string file_;
    std::filesystem::path folder_;
    const Variables& variables_;
    Findings findings_;
    Findings missing_;
    std::string missing_name_;
    Places places_;
    bool from_outside_ = false;
};

}  // namespace pawl::app
