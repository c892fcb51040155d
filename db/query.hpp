// One SQL statement with a name. Every one lives in a .sql file of the folder that runs it and
// becomes a constant in that folder's generated "sql.hpp". A plain constant.
#pragma once

#include <string_view>

namespace pawl::db {

struct Query {
    std::string_view name;  // unique in the program: it names the prepared statement
    std::string_view text;
};

}  // namespace pawl::db
