// Finds parameters that stand in each other's places: `(amount, captured) VALUES (:captured,
// :amount)` is legal SQL, of the right types. A parameter that is named like a column, an argument
// or an alias of its statement must stand in its place. A pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/sqlgen/declaration.hpp"

namespace pawl::sqlgen {

// Throws SourceError. `lines_before` is how many lines of the file precede `text`.
void refuse_exchanged(const std::string& file, int lines_before, std::string_view text,
                      const std::vector<Value>& takes);

}  // namespace pawl::sqlgen
