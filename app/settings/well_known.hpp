// Secrets that anybody can read in a repository or a provider's documentation: whoever signs with
// one of them proves nothing. Pure; any thread.
#pragma once

#include <string_view>

namespace pawl::app {

// What config/providers/demo.toml signs with under --dev: base64 of 32 printable bytes.
inline constexpr std::string_view demo_secret =
    "whsec_cGF3bC1kZW1vLXNlY3JldC1mb3ItdGVzdHMtb25seSE=";
inline constexpr std::string_view demo_secret_variable = "PAWL_DEMO_SECRET";

// Where the secret is published, in words; empty where it is not known to be.
std::string_view published_in(std::string_view secret);

}  // namespace pawl::app
