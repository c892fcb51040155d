// A JSON body, member by member, with the complaint that a wrong one deserves. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/money.hpp"
#include "base/result.hpp"

namespace pawl::http {

// No body at all asks for the same as {}.
inline std::string_view or_empty_object(std::string_view body) {
    return body.empty() ? "{}" : body;
}

// A JSON object; refers to the text it was read from. Members that nobody asks for are left alone.
class Body {
  public:
    static Result<Body> parse(std::string_view text);

    // A string of 1 to `bytes_max` bytes without control characters; nothing where there is none.
    Result<std::optional<std::string>> text(const char* name, std::size_t bytes_max) const;
    // A whole number above zero, in minor units.
    Result<std::int64_t> amount(const char* name, Currency currency) const;
    // true or false; false where there is none.
    Result<bool> flag(const char* name) const;
    bool has(const char* name) const;

  private:
    explicit Body(json::Document document) : document_(std::move(document)) {}
    std::optional<json::Value> member(const char* name) const;
    json::Document document_;
};

}  // namespace pawl::http
