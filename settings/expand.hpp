// "${env:NAME}" and "${file:PATH}" inside a configured text. What comes from outside may be a
// secret, so an error names where a value comes from and never the value. Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::app {

// How a variable of the environment is looked up; a test hands in its own.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;
Variables process_variables();

struct Expanded {
    std::string text;
    bool from_outside = false;  // never to be printed
    std::string missing;        // what a person has to supply, e.g. "variable X is not set"
    std::string missing_name;   // the variable or file
    std::string wrong;          // the text itself is malformed
    std::string exposed_file;   // a file that everybody on the machine may read
};

// Relative paths start at `folder`, the configuration directory.
Expanded expand(std::string_view text, const Variables& variables,
                const std::filesystem::path& folder);

// Where the value of such a text comes from, in words: "variable NAME" or "file PATH"; empty where
// the text itself is the value.
std::string origin_of(std::string_view text);

}  // namespace pawl::app
