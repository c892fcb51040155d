// The subset of JSON Schema in which the API's document states a value's shape, compiled once. A
// keyword, format or type outside the subset is an error of the compilation, so that a schema never
// promises a check that is not made. Compiled schemas are immutable; any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace pawl::http {

// The whole number that a JSON number stands for, as JSON Schema counts: 100, 100.0 and 1e2 are the
// same. nullopt: a fraction, or a value outside 64 bits.
std::optional<std::int64_t> whole_number(std::string_view number);

struct Mismatch {
    std::string where;            // a JSON pointer; empty: the value itself
    std::string what;             // the violated rule, for display
    bool unknown_member = false;  // a member that the schema does not have
};

enum class Members : std::uint8_t {
    as_stated,  // unknown ones only where additionalProperties is false
    known_only
};

class Schema {
  public:
    std::optional<Mismatch> mismatch(const json::Value& value,
                                     Members members = Members::as_stated) const;
    // A parameter has no JSON type of its own: its text is read as the schema's type.
    std::optional<Mismatch> mismatch_of_text(const std::string& text) const;

    // As compiled; read by the tests' generator of values as well.
    std::string description;
    std::string form;  // x-form: what to write, for the error of a value that does not fit
    std::set<json::Kind> kinds;  // empty: any
    bool whole = false;          // a number without a fraction
    std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
    std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
    std::size_t length_min = 0;
    std::size_t length_max = std::numeric_limits<std::size_t>::max();  // in characters
    std::string pattern;
    std::optional<std::regex> regex;
    bool date_time = false;
    std::vector<std::string> words;  // enum
    std::map<std::string, std::shared_ptr<const Schema>, std::less<>> properties;
    std::set<std::string> required;
    bool closed = false;  // additionalProperties: false
    std::shared_ptr<const Schema> items;
    std::vector<std::shared_ptr<const Schema>> one_of;

  private:
    std::optional<Mismatch> mismatch_at(const json::Value& value, Members members,
                                        const std::string& where) const;
    std::optional<Mismatch> object_mismatch(const json::Value& value, Members members,
                                            const std::string& where) const;
    bool fits_number(std::string_view number) const;
    bool fits_text(const std::string& text) const;
    std::string refusal_of(std::string_view shown) const;
    std::string expected() const;
};

using SchemaPtr = std::shared_ptr<const Schema>;

// Compiles the schemas of one document. References lead into that document.
class SchemaCompiler {
  public:
    explicit SchemaCompiler(const json::Value& document) : document_(document) {}

    // `where` is a JSON pointer, for the error's text.
    Result<SchemaPtr> compile(const json::Value& schema, const std::string& where);

  private:
    Result<SchemaPtr> referred(const std::string& reference, const std::string& where);
    Result<void> keyword(Schema& into, const json::Value& value, const std::string& where);
    Result<void> nested_keyword(Schema& into, const json::Value& value, const std::string& where);

    const json::Value document_;
    std::map<std::string, SchemaPtr> done_;  // by reference; null: being compiled
};

// The member of that name; nullopt if `value` has none, or is not an object.
std::optional<json::Value> member_of(const json::Value& value, std::string_view name);

}  // namespace pawl::http
