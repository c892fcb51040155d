// The rules of the tree, each a function from the tree to what breaks it. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/tidy/report.hpp"
#include "tests/tidy/tree.hpp"

namespace pawl::tidy {

// rules_layers.cpp
Report include_direction(const Tree& tree);
Report one_user_of_each_third_party(const Tree& tree);

// rules_sizes.cpp
Report functions_too_long(const Tree& tree, std::size_t lines_max);
Report files_too_long(const Tree& tree);
Report lines_too_wide(const Tree& tree);

// rules_words.cpp
Report floating_point_near_money(const Tree& tree);
Report clock_and_chance(const Tree& tree);
Report sql_in_cpp(const Tree& tree);
Report sql_by_position(const Tree& tree);
Report work_markers(const Tree& tree);

// A word or phrase that the glossary replaces; a line of tests/tidy/retired_words.txt.
struct Retired {
    std::string text;
    std::vector<std::string> phrase;
    std::string instead;
};
std::vector<Retired> retired_words(const Tree& tree);

struct WordCount {
    Report pronouns;     // names of persons in the place of a component
    Report subjectless;  // sentences that begin with What, Of, Those, ...
    Report retired;
    std::size_t sentences = 0;
};
// By top-level folder, and by folder of tests/.
std::map<std::string, WordCount> word_counts(const Tree& tree);
// Counts that differ from tests/tidy/word_counts.txt.
Report word_counts_off_the_record(const Tree& tree);

// rules_headers.cpp
Report using_namespace_in_headers(const Tree& tree);
Report header_beginnings(const Tree& tree);

// rules_sql.cpp
Report migration_names(const Tree& tree);
Report unnamed_constraints(const Tree& tree);
Report one_statement_a_query(const Tree& tree);

// rules_files.cpp
Report folders_without_readme(const Tree& tree);
Report names_that_say_nothing(const Tree& tree);
Report machine_paths_and_hosts(const Tree& tree);

// rules_maps.cpp
Report paths_that_lead_nowhere(const Tree& tree);   // in backticks, in a document
Report rooms_that_are_not_there(const Tree& tree);  // first cells of a folder's README
Report quotes_out_of_date(const Tree& tree);        // lines of code in a document, by their file

// rules_promises.cpp
Report promises_of_the_readme(const Tree& tree);  // commands, endpoints, metrics in backticks

}  // namespace pawl::tidy
