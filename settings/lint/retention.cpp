// Finds retention that ends before the provider's redeliveries do.
#include <fmt/core.h>

#include "providers/provider_traits.hpp"
#include "settings/lint/lint.hpp"

namespace pawl::app {

void lint_retention(const ProviderFile& file, Findings& into) {
    const auto& config = file.config;
    const auto floor = 2 * config.retry_window;
    if (config.retention && *config.retention < floor) {
        into.push_back(
            {Severity::error, file.place_of("retention"),
             fmt::format("retention {} is less than twice the retry_window {}",
                         pawl::to_text(*config.retention), pawl::to_text(config.retry_window)),
             "a late redelivery would be taken for a new event",
             fmt::format("write \"forever\", or \"{}\" at least", pawl::to_text(floor))});
    }
    const providers::ProviderTraits* sender = providers::traits_of(config.preset);
    if (sender != nullptr && config.retry_window < sender->retry_window) {
        into.push_back({Severity::warning, file.place_of("retry_window"),
                        fmt::format("retry_window {} is shorter than {} redelivers ({})",
                                    pawl::to_text(config.retry_window), config.preset,
                                    pawl::to_text(sender->retry_window)),
                        "the floor for retention is reckoned from it",
                        fmt::format("write \"{}\"", pawl::to_text(sender->retry_window))});
    }
}

}  // namespace pawl::app
