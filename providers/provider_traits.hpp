// Table of the known providers: the facts from their documentation that settings and lint need. A
// provider without a preset (providers/presets) is refused: it needs code that is not in this
// version. Constant; any thread.
#pragma once

#include <span>
#include <string_view>

#include "providers/config.hpp"

namespace pawl::providers {

struct ProviderTraits {
    std::string_view name;
    Duration retry_window;  // published or, where it is not, assumed
    Covers covers;
    bool needs_secret;  // its deliveries prove something by a secret that both sides have
    bool fetches;  // the event is known only by asking the provider, so `covers` does not matter
    bool major_units;
    bool shared_key;  // many customers' deliveries verify with one key
    bool signs_url;
};

std::span<const ProviderTraits> all_traits();
const ProviderTraits* traits_of(std::string_view name);  // null: not in the list

}  // namespace pawl::providers
