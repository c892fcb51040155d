// Expands "${env:NAME}" and "${file:PATH}" inside a configured text. The expanded value may be a
// secret: errors name its source and never the value. Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::app {

// Looks up a variable of the environment; a test passes its own.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;
Variables process_variables();

struct Expanded {
    std::string text;
    bool from_outside = false;  // never to be printed
    std::string missing;        // a value the operator has to supply, e.g. "variable X is not set"
    std::string missing_name;   // the variable or file
    std::string wrong;          // the text itself is malformed
    std::string exposed_file;   // a file that every user of the machine may read
};

// Relative paths start at `folder`, the configuration directory.
Expanded expand(std::string_view text, const Variables& variables,
                const std::filesystem::path& folder);

// Where the value of such a text comes from, in words: "variable NAME" or "file PATH"; empty where
// the text itself is the value.
std::string origin_of(std::string_view text);

}  // namespace pawl::app
