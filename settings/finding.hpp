// A fault of a configuration: one sentence with the place, the fault and the remedy. All findings
// are shown together, so that one start is enough to repair a file. Plain values, no thread rules.
#pragma once

#include <string>
#include <vector>

namespace pawl::app {

// A place in a file; line 0 means the whole file, an empty file means the environment.
struct Place {
    std::string file;
    unsigned line = 0;
    unsigned column = 0;
};
std::string to_text(const Place& place);

enum class Severity {
    error,    // the program does not start, or money can be lost
    warning,  // valid, but likely to cause problems
    note,     // information; needs no change
};
std::string to_text(Severity severity);

struct Finding {
    Severity severity = Severity::error;
    Place place;
    std::string what;
    std::string why;        // empty where the fault explains itself
    std::string remedy;     // what to write or do instead
    bool unparsed = false;  // the file could not be read as TOML at all
};

// file:line:column: fault (reason); remedy
std::string sentence(const Finding& finding);

using Findings = std::vector<Finding>;
bool has_errors(const Findings& findings);
void sort_by_place(Findings& findings);  // in the order of the files and their lines

}  // namespace pawl::app
