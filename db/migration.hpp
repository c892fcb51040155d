// One step of the schema: a file of migrations/, embedded in the program. A plain constant.
#pragma once

#include <span>
#include <string_view>

namespace pawl::db {

struct Migration {
    std::string_view name;  // 0001_roles
    std::string_view text;
};

std::span<const Migration> embedded();  // those of this program, in order

}  // namespace pawl::db
