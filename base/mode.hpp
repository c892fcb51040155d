// Live or test: the mode of money that an installation serves. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pawl {

enum class Mode { live, test };

std::string_view to_text(Mode mode);
std::optional<Mode> parse_mode(std::string_view text);
inline constexpr std::string_view mode_rule = "write \"live\" or \"test\"";

// Test money has books of its own, <books>-test, so that no key of it can equal one of live money.
std::string books_in(Mode mode, const std::string& books);

}  // namespace pawl
