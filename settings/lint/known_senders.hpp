// What the presets' documentation says and a linter has to know. A table; any thread.
#pragma once

#include <string_view>

#include "providers/config.hpp"

namespace pawl::app {

struct KnownSender {
    std::string_view preset;
    Duration retry_window;  // published or, where it is not, assumed
    providers::Covers covers;
    bool fetches;  // the event is known only by asking the provider, so `covers` does not matter
    bool major_units;
    bool shared_key;  // many customers' deliveries verify with one key
    bool signs_url;
};

const KnownSender* known_sender(std::string_view preset);  // null: not in the table

}  // namespace pawl::app
