// Parameters and columns as .sql and .row files declare them: "NAME TYPE [null]", in a list. The
// types are those that the generated code can send and read. Plain values.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::sqlgen {

// A line of a source file, as compilers name it.
struct Place {
    std::string file;
    int line = 0;
};

// An error in a source file: "file:line: object: condition; remedy".
class SourceError : public std::runtime_error {
  public:
    SourceError(const Place& place, const std::string& message);
};

// A parameter or a column.
struct Value {
    std::string name;
    std::string type;  // one of types()
    bool nullable = false;

    bool operator==(const Value&) const = default;
};

// The generated code's way to send and read a type.
struct Type {
    std::string_view parameter;  // class of db/parameter.hpp; "Maybe" goes before it for null
    std::string_view result;     // return type of a column's reader; empty: no column has it
    std::string_view reader;     // member of db::Row
};
const std::map<std::string, Type, std::less<>>& types();

// Columns of a file NAME.row, shared by several statements.
struct RowType {
    std::string name;
    std::vector<Value> columns;
};
using RowTypes = std::map<std::string, RowType, std::less<>>;

RowType parse_row(const std::string& file, std::string_view text);

// Columns of a list that are a row type: {{name}}.
struct Part {
    std::string row;
    std::size_t first = 0;
    std::size_t columns = 0;
    bool nullable = false;  // all of them are NULL, or none that is declared without null
};

// A list after "takes" or "gives".
struct Declared {
    std::vector<Value> values;
    std::vector<Part> parts;

    // It is one row type and nothing else.
    bool is_row() const {
        return parts.size() == 1 && !parts[0].nullable && parts[0].columns == values.size();
    }
};
Declared parse_list(const Place& place, std::string_view list, const RowTypes& rows);

std::string_view trimmed(std::string_view text);
std::string camel(std::string_view name);  // find_token: FindToken

}  // namespace pawl::sqlgen
