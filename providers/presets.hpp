// Providers known by name: how each signs, as data. A name that is unknown, or known but not yet
// verifiable, is an error: a receiver that cannot check a signature must not start.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "providers/config.hpp"

namespace pawl::providers {

struct Preset {
    std::string_view name;
    // Secrets that start with `secret_prefix` belong to that scheme; one that starts with none of
    // a preset's prefixes is refused.
    struct Variant {
        std::string_view secret_prefix;
        SchemeConfig scheme;
    };
    std::vector<Variant> variants;
    // Currencies whose minor unit the provider counts with other decimals than ISO 4217.
    std::vector<std::pair<std::string_view, int>> exponents;
};

Result<const Preset*> find_preset(std::string_view name);
std::span<const Preset> all_presets();

}  // namespace pawl::providers
