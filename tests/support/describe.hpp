// PostgreSQL's description of a prepared statement: types of its parameters; names, types and
// nullability of its columns. A test compares .sql files with it. One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/database.hpp"

namespace pawl::testing {

struct DescribedColumn {
    std::string name;
    std::string type;
    std::optional<bool> not_null;  // nullopt: not a column of a table
};

struct Description {
    std::vector<std::string> parameters;  // types
    std::vector<DescribedColumn> columns;
};

class Describer {
  public:
    explicit Describer(const TestDatabase& database);
    ~Describer();
    Describer(const Describer&) = delete;
    Describer& operator=(const Describer&) = delete;

    Description describe(std::string_view text);  // throws std::runtime_error

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// Returns the differences of declaration and description, one line each; empty if they agree.
std::vector<std::string> differences(const db::Query& query, const Description& described);

}  // namespace pawl::testing
