// The members of an act's body, by name, and the complaint that the first wrong one deserves. Used
// by one request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace pawl::http {

class Members {
  public:
    // `body` outlives it. A member that is not among `known` is wrong: it would be left unheeded.
    Members(const json::Document& body, const std::vector<std::string_view>& known);

    std::optional<std::string> text(const char* name);
    std::optional<std::int64_t> number(const char* name);  // a whole number above zero
    const std::string& wrong() const { return wrong_; }    // empty: nothing is

  private:
    std::optional<json::Value> find(const char* name) const;
    void complain(std::string_view name, const char* what);
    const json::Value root_;
    std::string wrong_;
};

}  // namespace pawl::http
