// Secrets published in a repository or a provider's documentation: a signature made with one of
// them proves no origin. Pure; any thread.
#pragma once

#include <string_view>

namespace pawl::app {

// The secret that config/providers/demo.toml signs with under --dev: base64 of 32 printable bytes.
inline constexpr std::string_view demo_secret =
    "whsec_cGF3bC1kZW1vLXNlY3JldC1mb3ItdGVzdHMtb25seSE=";
inline constexpr std::string_view demo_secret_variable = "PAWL_DEMO_SECRET";

// The default secret and API key of `pawl sandbox`.
inline constexpr std::string_view sandbox_secret = "whsec_pawl_sandbox_secret_for_tests_only";
inline constexpr std::string_view sandbox_secret_variable = "PAWL_SANDBOX_SECRET";
inline constexpr std::string_view sandbox_api_key = "sk_test_pawl_sandbox_key_for_tests_only";
inline constexpr std::string_view sandbox_api_key_variable = "PAWL_SANDBOX_API_KEY";

// The value that --dev puts into a variable that is not set; empty if it puts none.
std::string_view supplied_in_development(std::string_view variable);

// The place where the secret is published, in words; empty if it is not known to be.
std::string_view published_in(std::string_view secret);

}  // namespace pawl::app
