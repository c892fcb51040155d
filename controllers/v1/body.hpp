// A JSON body that fits its operation, read member by member. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace pawl::http {

// Refers to the text, which must outlive it. No body at all reads like {}. Whether the members are
// there and of their type was judged before (Operation::refusal).
class Body {
  public:
    explicit Body(std::string_view text)
        : document_(json::Document::parse(text.empty() ? "{}" : text).value()) {}

    std::optional<std::string> text(std::string_view name) const;
    std::optional<std::int64_t> number(std::string_view name) const;
    bool is_true(std::string_view name) const { return text(name) == "true"; }

  private:
    json::Document document_;
};

}  // namespace pawl::http
