// The parameters of one query, in order, already in the form PostgreSQL reads. Arrays travel as
// such, so that a whole batch is one statement. A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "db/column.hpp"
#include "db/parameter.hpp"

namespace pawl::db {

class Params {
  public:
    Params& text(std::string_view value);
    Params& maybe_text(const std::optional<std::string>& value);
    Params& number(std::int64_t value);
    Params& maybe_number(std::optional<std::int64_t> value);
    Params& flag(bool value);
    Params& time(Time value);
    Params& bytes(std::string_view value);  // sent as they are, never escaped
    Params& null();

    Params& column(Column column);
    // An empty optional becomes an SQL NULL inside the array.
    Params& texts(const std::vector<std::string>& values);
    Params& texts(const std::vector<std::optional<std::string>>& values);
    Params& numbers(const std::vector<std::int64_t>& values);
    Params& numbers(const std::vector<std::optional<std::int64_t>>& values);
    Params& flags(const std::vector<bool>& values);
    Params& times(const std::vector<Time>& values);
    Params& times(const std::vector<std::optional<Time>>& values);

    std::vector<const Param*> pointers() const;

  private:
    std::vector<Param> list_;
};

}  // namespace pawl::db
