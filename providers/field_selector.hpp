// A piece of text that is read out of an event: where it is, and how several become one. Owned by
// the Reader and its rules, immutable, safe from all threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "providers/config.hpp"
#include "providers/event.hpp"

namespace pawl::providers {

// One event inside a delivery.
struct Item {
    std::string_view bytes;
    std::string bytes_sha256;  // hex
    std::optional<json::Value> value;
    const Headers& headers;
    std::optional<json::Value> root{};     // the whole body
    std::optional<json::Value> element{};  // element of the array whose elements are movements
};

class FieldSelector {
  public:
    enum class From { pointer, root, element, header, body_sha256, literal };
    static Result<FieldSelector> parse(const ReadPart& part);

    From from() const { return from_; }
    const std::string& text() const { return text_; }  // literal, header's name or pointer
    bool is_pointer() const;
    // Returns nullopt if the part is missing, empty, null, not a scalar, doubled, longer than a
    // database index takes, or has a NUL; empty text if an optional part is missing.
    std::optional<std::string> read(const Item& item) const;

  private:
    std::optional<std::string> found(const Item& item) const;
    From from_ = From::literal;
    bool optional_ = false;
    std::string text_;
    json::Pointer pointer_;
};

using FieldSelectors = std::vector<FieldSelector>;

// A single part is taken as it is; several are escaped and joined with ":".
std::optional<std::string> read_joined(const FieldSelectors& parts, const Item& item);

// Text that names one thing for each event: at least one part must not be a literal.
Result<FieldSelectors> parse_selectors(const ReadParts& parts, std::string_view what);

}  // namespace pawl::providers
