// What the program has to say about a configuration: one finding is one sentence that names the
// place, the fault and the remedy. Findings are collected and shown together, because a person who
// repairs one line at a time starts the program ten times. Plain values, no thread rules.
#pragma once

#include <string>
#include <vector>

namespace pawl::app {

// Where in a file; line 0 means the whole file, an empty file means the environment.
struct Place {
    std::string file;
    unsigned line = 0;
    unsigned column = 0;
};
std::string to_text(const Place& place);

enum class Severity {
    error,    // the program does not start, or money can be lost
    warning,  // it works, and somebody will regret it
    note,     // nothing to repair: said so that nobody wonders
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

// file:line:column: what (why); remedy
std::string sentence(const Finding& finding);

using Findings = std::vector<Finding>;
bool has_errors(const Findings& findings);
void sort_by_place(Findings& findings);  // the order in which a person walks through the files

}  // namespace pawl::app
