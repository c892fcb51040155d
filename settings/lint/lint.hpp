// Finds configurations that are well formed and nevertheless lose money or stall. Pure: settings
// in, findings out. Faults of parsing and building are load()'s and are not repeated here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "providers/event.hpp"
#include "settings/settings.hpp"

namespace pawl::app {

Findings lint(const Settings& settings);

// The checks, one function each; a test calls them one by one.
void lint_retention(const ProviderFile& file, Findings& into);
void lint_scheme(const ProviderFile& file, Findings& into);
void lint_rules(const ProviderFile& file, Findings& into);
void lint_matching(const ProviderFile& file, Findings& into);
void lint_build(const ProviderFile& file, Findings& into);  // last: says only what is new
void lint_books(const Settings& settings, Findings& into);
void lint_needs(const Settings& settings, Findings& into);
void lint_secrets(const Settings& settings, Findings& into);
void lint_modes(const Settings& settings, Findings& into);
void lint_surroundings(const Settings& settings, Findings& into);
void lint_unused(const Settings& settings, Findings& into);

// Against what each provider has posted, as its database has recorded it.
using PostedShape = std::pair<std::string, providers::KeyShape>;
Findings lint_shapes(const Settings& settings, const std::vector<PostedShape>& posted);

// Traits of a provider, from its preset or its [scheme] table.
providers::Covers covers_of(const providers::ProviderConfig& config);
bool header_is_signed(const providers::ProviderConfig& config, std::string_view name);
bool moves_money(const providers::RuleConfig& rule);
// Each movement of a rule as a rule by itself.
std::vector<providers::RuleConfig> movements_of(const providers::RuleConfig& rule);
std::string path_of_rule(std::size_t index, std::string_view key = {});

}  // namespace pawl::app
