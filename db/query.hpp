// One SQL statement with a name. Every one lives in a .sql file of the folder that runs it and
// becomes a constant in that folder's generated "sql.hpp". A plain constant.
#pragma once

#include <span>
#include <string_view>

namespace pawl::db {

// A parameter or a column, as the .sql file declares it.
struct DeclaredValue {
    std::string_view name;
    std::string_view type;
    bool nullable = false;
};

struct Query {
    enum class Rows { undeclared, declared, ignored };
    std::string_view name;  // unique in the program: it names the prepared statement
    std::string_view text;
    std::span<const DeclaredValue> takes{};
    std::span<const DeclaredValue> gives{};
    Rows rows = Rows::undeclared;
};

// A generated statement: its parameters are members, its rows have named columns.
template <class S>
concept TypedStatement = requires(const S& statement) {
    {S::query().text};
    {statement.parameters()};
    typename S::Row;
};

}  // namespace pawl::db
