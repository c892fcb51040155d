// "Did you mean": the known word nearest to one that is not known. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pawl::app {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns an empty string if no word is near enough.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// `did you mean "x"?` where something is near, else `known are a, b, c`.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");
std::vector<std::string> split(std::string_view text, std::string_view separator);

}  // namespace pawl::app
