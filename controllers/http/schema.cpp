#include "controllers/http/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/clock.hpp"

namespace pawl::http {
namespace {

using json::Kind;

struct TypeName {
    std::string_view name;
    Kind kind;
};
constexpr std::array<TypeName, 7> type_names{{{"null", Kind::null},
                                              {"boolean", Kind::boolean},
                                              {"string", Kind::string},
                                              {"number", Kind::number},
                                              {"integer", Kind::number},
                                              {"array", Kind::array},
                                              {"object", Kind::object}}};

// Keywords that describe, and constrain no value.
constexpr std::array<std::string_view, 3> annotations = {"title", "default", "examples"};

std::size_t characters_in(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

// At most 100 bytes, and whole characters.
std::string shortened(std::string_view text) {
    std::size_t end = 100;
    if (text.size() <= end) return std::string(text);
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return std::string(text.substr(0, end)) + "...";
}

std::string type_list(const Schema& schema) {
    std::vector<std::string_view> names;
    for (const auto& [name, kind] : type_names) {
        if (!schema.kinds.contains(kind)) continue;
        if (kind == Kind::number && schema.whole != (name == "integer")) continue;
        names.push_back(name);
    }
    return fmt::format("{}", fmt::join(names, " or "));
}

std::string known_members_text(const std::map<std::string, SchemaPtr, std::less<>>& properties) {
    std::vector<std::string_view> names;
    for (const auto& [name, schema] : properties) names.push_back(name);
    if (names.empty()) return "nothing is expected here";
    return fmt::format("known are {}", fmt::join(names, ", "));
}

Error bad_schema(const std::string& where, const std::string& condition) {
    return invalid(fmt::format("openapi.json: {}: {}; use what controllers/http/schema.cpp checks",
                               where, condition));
}

bool add_type(Schema& into, std::string_view name) {
    const auto found = std::find_if(type_names.begin(), type_names.end(),
                                    [&](const TypeName& type) { return type.name == name; });
    if (found == type_names.end()) return false;
    into.kinds.insert(found->kind);
    if (name == "integer") into.whole = true;
    return true;
}

Result<void> read_types(Schema& into, const json::Value& value, const std::string& where) {
    std::vector<json::Value> names = value.children();
    if (value.kind() == Kind::string) names = {value};
    for (const json::Value& name : names) {
        if (!add_type(into, name.text().value_or(""))) {
            return bad_schema(where, fmt::format("unknown type {}", name.raw()));
        }
    }
    if (names.empty()) return bad_schema(where, "no type");
    return {};
}

Result<std::int64_t> read_number(const json::Value& value, const std::string& where) {
    const auto number = value.kind() == Kind::number ? whole_number(value.raw()) : std::nullopt;
    if (!number) return bad_schema(where, "not a whole number");
    return *number;
}

Result<void> read_pattern(Schema& into, const json::Value& value, const std::string& where) {
    into.pattern = value.text().value_or("");
    const bool ascii = std::all_of(into.pattern.begin(), into.pattern.end(),
                                   [](char c) { return c >= ' ' && c <= '~'; });
    if (!ascii || !into.pattern.starts_with('^') || !into.pattern.ends_with('$')) {
        return bad_schema(where, "a pattern is ASCII and stands between ^ and $");
    }
    try {
        into.regex.emplace(into.pattern, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& error) {
        return bad_schema(where, fmt::format("invalid pattern: {}", error.what()));
    }
    return {};
}

Result<void> read_format(Schema& into, const json::Value& value, const std::string& where) {
    const std::string format = value.text().value_or("");
    if (format == "date-time") {
        into.date_time = true;
    } else if (format != "int64") {  // every number is held to 64 bits
        return bad_schema(where, fmt::format("unknown format \"{}\"", format));
    }
    return {};
}

// std::regex recurses once a character: a text that it looks at has to be bounded.
constexpr std::size_t matched_characters_max = 4096;

}  // namespace

std::optional<json::Value> member_of(const json::Value& value, std::string_view name) {
    if (value.kind() != Kind::object) return std::nullopt;
    for (const json::Value& child : value.children()) {
        if (child.key() == name) return child;
    }
    return std::nullopt;
}

std::optional<std::int64_t> whole_number(std::string_view number) {
    const bool negative = number.starts_with('-');
    if (negative) number.remove_prefix(1);
    const std::size_t e = std::min(number.find_first_of("eE"), number.size());
    std::string digits(number.substr(0, e));
    std::int64_t exponent = 0;
    if (e < number.size()) {
        std::string_view text = number.substr(e + 1);
        if (text.starts_with('+')) text.remove_prefix(1);
        const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
        if (read.ec != std::errc{}) exponent = text.starts_with('-') ? -10000 : 10000;
    }
    if (const std::size_t point = digits.find('.'); point != std::string::npos) {
        exponent -= static_cast<std::int64_t>(digits.size() - point - 1);
        digits.erase(point, 1);
    }
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.empty()) return 0;
    for (; exponent < 0 && digits.ends_with('0'); ++exponent) digits.pop_back();
    constexpr std::int64_t digits_max = 19;  // most digits of 64 bits
    if (exponent < 0 || exponent > digits_max) return std::nullopt;
    digits.append(static_cast<std::size_t>(exponent), '0');
    if (negative) digits.insert(0, "-");
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    const bool good = error == std::errc{} && end == digits.data() + digits.size();
    return good ? std::optional(whole) : std::nullopt;
}

bool Schema::fits_number(std::string_view number) const {
    if (!whole) return true;
    const auto value = whole_number(number);
    return value && *value >= minimum && *value <= maximum;
}

bool Schema::fits_text(const std::string& text) const {
    const std::size_t characters = characters_in(text);
    if (characters < length_min || characters > length_max) return false;
    if (!words.empty() && std::find(words.begin(), words.end(), text) == words.end()) return false;
    if (date_time && !parse_rfc3339(text)) return false;
    return !regex || std::regex_search(text, *regex);
}

std::string Schema::expected() const {
    if (!form.empty()) return form;
    if (!words.empty()) return fmt::format("one of {}", fmt::join(words, ", "));
    if (date_time) return "a time like 2026-01-31T12:00:00Z";
    if (kinds.contains(Kind::number) && whole) {
        const bool bounded = maximum != std::numeric_limits<std::int64_t>::max();
        if (bounded) return fmt::format("a whole number from {} to {}", minimum, maximum);
        if (minimum == std::numeric_limits<std::int64_t>::min()) return "a whole number";
        return fmt::format("a whole number of at least {}", minimum);
    }
    if (kinds.contains(Kind::boolean)) return "true or false";
    if (!kinds.contains(Kind::string)) return "a JSON " + type_list(*this);
    std::string text = "text";
    if (length_max != std::numeric_limits<std::size_t>::max()) {
        text += fmt::format(" of {} to {} characters", length_min, length_max);
    }
    return pattern.empty() ? text : fmt::format("{} that matches {}", text, pattern);
}

std::string Schema::refusal_of(std::string_view shown) const {
    if (shown.empty()) return fmt::format("empty; write {}", expected());
    return fmt::format("invalid ({}); write {}", shortened(shown), expected());
}

std::optional<Mismatch> Schema::mismatch(const json::Value& value, Members members) const {
    return mismatch_at(value, members, "");
}

std::optional<Mismatch> Schema::mismatch_at(const json::Value& value, Members members,
                                            const std::string& where) const {
    if (!one_of.empty()) {
        for (const SchemaPtr& one : one_of) {
            if (!one->mismatch_at(value, members, where)) return std::nullopt;
        }
        return Mismatch{where, "invalid; write one of the forms in /openapi.json"};
    }
    const Kind kind = value.kind();
    if (!kinds.empty() && !kinds.contains(kind)) {
        return Mismatch{where, refusal_of(value.raw())};
    }
    const bool fits = kind == Kind::number   ? fits_number(value.raw())
                      : kind == Kind::string ? fits_text(value.text().value_or(""))
                                             : true;
    if (!fits) {
        return Mismatch{where,
                        refusal_of(value.raw() == "\"\"" ? std::string_view() : value.raw())};
    }
    if (kind == Kind::object) return object_mismatch(value, members, where);
    if (kind != Kind::array || !items) return std::nullopt;
    std::size_t index = 0;
    for (const json::Value& child : value.children()) {
        auto below = items->mismatch_at(child, members, fmt::format("{}/{}", where, index++));
        if (below) return below;
    }
    return std::nullopt;
}

std::optional<Mismatch> Schema::object_mismatch(const json::Value& value, Members members,
                                                const std::string& where) const {
    std::set<std::string, std::less<>> missing(required.begin(), required.end());
    const bool all_known = closed || (members == Members::known_only && !properties.empty());
    for (const json::Value& child : value.children()) {
        const std::string below = fmt::format("{}/{}", where, child.key());
        const auto property = properties.find(child.key());
        if (const auto found = missing.find(child.key()); found != missing.end()) {
            missing.erase(found);
        }
        if (property == properties.end()) {
            if (all_known)
                return Mismatch{below, "unknown; " + known_members_text(properties), true};
            continue;
        }
        if (auto wrong = property->second->mismatch_at(child, members, below)) return wrong;
    }
    if (missing.empty()) return std::nullopt;
    return Mismatch{fmt::format("{}/{}", where, *missing.begin()), "missing; add it"};
}

std::optional<Mismatch> Schema::mismatch_of_text(const std::string& text) const {
    bool fits = text == "true" || text == "false";
    if (kinds.contains(Kind::string) || kinds.empty()) {
        fits = fits_text(text);
    } else if (kinds.contains(Kind::number)) {
        const std::string_view digits =
            std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
        const bool plain = !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) {
            return c >= '0' && c <= '9';
        });
        fits = plain && fits_number(text);
    }
    if (fits) return std::nullopt;
    return Mismatch{"", refusal_of(text.empty() ? text : '"' + text + '"')};
}

Result<SchemaPtr> SchemaCompiler::referred(const std::string& reference, const std::string& where) {
    if (const auto done = done_.find(reference); done != done_.end()) {
        if (!done->second) return bad_schema(where, "a schema that refers to itself");
        return done->second;
    }
    const auto pointer = json::Pointer::parse(reference.substr(reference.starts_with('#') ? 1 : 0));
    const auto target = pointer ? document_.at(*pointer) : std::nullopt;
    if (!target) return bad_schema(where, fmt::format("{} leads nowhere", reference));
    done_[reference] = nullptr;
    auto compiled = compile(*target, reference);
    if (compiled) done_[reference] = *compiled;
    return compiled;
}

Result<SchemaPtr> SchemaCompiler::compile(const json::Value& schema, const std::string& where) {
    if (schema.kind() != Kind::object) return bad_schema(where, "not an object");
    if (const auto reference = member_of(schema, "$ref")) {
        return referred(reference->text().value_or(""), where);
    }
    const auto made = std::make_shared<Schema>();
    for (const json::Value& one : schema.children()) {
        const std::string below = fmt::format("{}/{}", where, one.key());
        if (auto read = keyword(*made, one, below); !read) return read.error();
    }
    const bool bounded = made->minimum != std::numeric_limits<std::int64_t>::min() ||
                         made->maximum != std::numeric_limits<std::int64_t>::max();
    if (bounded && !made->whole)
        return bad_schema(where, "a bound of a value that is not an integer");
    if (made->regex && made->length_max > matched_characters_max) {
        return bad_schema(where, fmt::format("a pattern needs a maxLength of at most {}",
                                             matched_characters_max));
    }
    return SchemaPtr(made);
}

Result<void> SchemaCompiler::keyword(Schema& into, const json::Value& value,
                                     const std::string& where) {
    const std::string_view name = value.key();
    const auto is = [name](std::string_view other) { return name == other; };
    if (std::any_of(annotations.begin(), annotations.end(), is)) return {};
    if (name == "description") {
        into.description = value.text().value_or("");
        return {};
    }
    if (name == "x-form") {
        into.form = value.text().value_or("");
        return {};
    }
    if (name == "type") return read_types(into, value, where);
    if (name == "pattern") return read_pattern(into, value, where);
    if (name == "format") return read_format(into, value, where);
    if (name == "enum" || name == "required") {
        for (const json::Value& word : value.children()) {
            if (word.kind() != Kind::string) return bad_schema(where, "not a list of strings");
            if (name == "enum") into.words.push_back(*word.text());
            if (name == "required") into.required.insert(*word.text());
        }
        return {};
    }
    if (name == "additionalProperties" && value.raw() == "false") {
        into.closed = true;
        return {};
    }
    if (name != "minimum" && name != "maximum" && name != "minLength" && name != "maxLength") {
        return nested_keyword(into, value, where);
    }
    const auto number = read_number(value, where);
    if (!number) return number.error();
    if (name == "minimum") into.minimum = *number;
    if (name == "maximum") into.maximum = *number;
    if (name == "minLength") into.length_min = static_cast<std::size_t>(*number);
    if (name == "maxLength") into.length_max = static_cast<std::size_t>(*number);
    return {};
}

Result<void> SchemaCompiler::nested_keyword(Schema& into, const json::Value& value,
                                            const std::string& where) {
    if (value.key() == "items") {
        auto items = compile(value, where);
        if (!items) return items.error();
        into.items = *items;
        return {};
    }
    const bool properties = value.key() == "properties";
    if (!properties && value.key() != "oneOf") {
        return bad_schema(where, "unknown keyword");
    }
    for (const json::Value& one : value.children()) {
        auto made = compile(one, fmt::format("{}/{}", where, one.key()));
        if (!made) return made.error();
        if (properties) {
            into.properties.emplace(one.key(), *made);
        } else {
            into.one_of.push_back(*made);
        }
    }
    return {};
}

}  // namespace pawl::http
