// Generates a folder's code: a header with a struct for each statement and a class for each row,
// and a source file with the texts. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "db/sqlgen/statement.hpp"

namespace pawl::sqlgen {

struct Folder {
    std::string name;  // ledger
    RowTypes rows;
    std::vector<Statement> statements;  // by name
};

std::string header_of(const Folder& folder);

// The place of a text: in the program itself, or in a file below its folder that it reads when it
// starts (`make mutations`, so that an edit of SQL compiles nothing).
enum class Texts { inside, in_files };
std::string source_of(const Folder& folder, Texts texts);

// A migration, or another file that is embedded as it is.
struct Script {
    std::string name;
    std::string file;  // from the program's folder
    std::string text;
};
std::string migrations_of(const std::vector<Script>& scripts, Texts texts);

}  // namespace pawl::sqlgen
