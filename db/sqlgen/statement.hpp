// One .sql file, read: the names and types of its parameters and columns, and its text with
// positions in place of names. Plain values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/sqlgen/declaration.hpp"

namespace pawl::sqlgen {

struct Statement {
    std::string name;  // that of the file
    std::string file;
    std::vector<Value> takes;
    Declared gives;
    bool ignored = false;  // it returns rows that are not read
    std::string text;      // as sent to PostgreSQL, without the comment at its head
};

// Throws SourceError.
Statement parse_statement(const std::string& file, std::string_view text, const RowTypes& rows);

}  // namespace pawl::sqlgen
