#include "db/sqlgen/declaration.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace pawl::sqlgen {
namespace {

bool is_name(std::string_view text) {
    const auto fits = [](unsigned char c) {
        return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
    };
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
           std::all_of(text.begin(), text.end(), fits);
}

// Words of C++, and names that generated code has already.
bool is_taken(std::string_view name) {
    static const std::set<std::string_view> taken{
        "and",       "auto",     "bool",     "break",    "case",   "catch",   "char",
        "class",     "const",    "continue", "default",  "delete", "do",      "double",
        "else",      "enum",     "explicit", "export",   "extern", "false",   "float",
        "for",       "friend",   "goto",     "if",       "inline", "int",     "long",
        "mutable",   "new",      "not",      "operator", "or",     "private", "protected",
        "public",    "register", "return",   "short",    "signed", "static",  "struct",
        "switch",    "template", "this",     "throw",    "true",   "try",     "typedef",
        "union",     "unsigned", "using",    "virtual",  "void",   "while",   "query",
        "parameters"};
    return taken.contains(name);
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
        const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return words;
}

std::string known_types() {
    std::string all;
    for (const auto& [name, type] : types()) all += (all.empty() ? "" : ", ") + name;
    return all;
}

Value parse_value(const Place& place, std::string_view text) {
    const auto words = words_of(text);
    const bool nullable = words.size() == 3 && words[2] == "null";
    if (words.size() < 2 || words.size() > 3 || (words.size() == 3 && !nullable)) {
        throw SourceError(place, fmt::format("declaration \"{}\": invalid; write \"name type\" or "
                                             "\"name type null\", separated by commas",
                                             trimmed(text)));
    }
    if (!is_name(words[0])) {
        throw SourceError(place, fmt::format("name \"{}\": invalid; use lower-case letters, digits "
                                             "and _",
                                             words[0]));
    }
    if (is_taken(words[0])) {
        throw SourceError(
            place, fmt::format("name \"{}\": reserved in C++; choose another one", words[0]));
    }
    if (!types().contains(words[1])) {
        throw SourceError(place, fmt::format("type \"{}\": unknown; use one of {}, or cast to one",
                                             words[1], known_types()));
    }
    return {std::string(words[0]), std::string(words[1]), nullable};
}

void refuse_twins(const Place& place, const std::vector<Value>& values) {
    std::set<std::string_view> names;
    for (const Value& value : values) {
        if (names.insert(value.name).second) continue;
        throw SourceError(
            place,
            fmt::format("name \"{}\": declared twice; remove one, or rename it", value.name));
    }
}

// "{{payment}}", or "{{job}} null": each of its columns may then be NULL.
void add_row(const Place& place, std::string_view item, const RowTypes& rows, Declared& into) {
    const std::size_t end = item.find("}}");
    const std::string_view rest = end == item.npos ? "?" : trimmed(item.substr(end + 2));
    if (end == item.npos || (!rest.empty() && rest != "null")) {
        throw SourceError(place, fmt::format("row type \"{}\": invalid; write {{{{name}}}}", item));
    }
    const std::string_view name = item.substr(2, end - 2);
    const auto found = rows.find(name);
    if (found == rows.end()) {
        throw SourceError(
            place,
            fmt::format("row type \"{}\": not found; write {}.row next to this file", name, name));
    }
    into.parts.push_back(
        {std::string(name), into.values.size(), found->second.columns.size(), !rest.empty()});
    for (Value column : found->second.columns) {
        column.nullable = column.nullable || !rest.empty();
        into.values.push_back(std::move(column));
    }
}

}  // namespace

SourceError::SourceError(const Place& place, const std::string& message)
    : std::runtime_error(fmt::format("{}:{}: {}", place.file, place.line, message)) {}

const std::map<std::string, Type, std::less<>>& types() {
    static const std::map<std::string, Type, std::less<>> known{
        {"text", {"TextParam", "std::string_view", "text"}},
        {"json", {"TextParam", "std::string_view", "text"}},
        {"jsonb", {"TextParam", "std::string_view", "text"}},
        {"bytea", {"BytesParam", "std::string", "bytes"}},
        {"bigint", {"NumberParam", "std::int64_t", "number"}},
        {"integer", {"NumberParam", "int", "integer"}},
        {"boolean", {"FlagParam", "bool", "flag"}},
        {"timestamptz", {"TimeParam", "Time", "time"}},
        {"text[]", {"TextsParam", "", ""}},
        {"bytea[]", {"BytesArrayParam", "", ""}},
        {"bigint[]", {"NumbersParam", "", ""}},
        {"boolean[]", {"FlagsParam", "", ""}},
        {"timestamptz[]", {"TimesParam", "", ""}}};
    return known;
}

RowType parse_row(const std::string& file, std::string_view text) {
    RowType row;
    const std::size_t slash = file.rfind('/') + 1;
    row.name = file.substr(slash, file.rfind('.') - slash);
    Place place{file, 0};
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++place.line;
        if (line.empty() || line.starts_with("--")) continue;
        row.columns.push_back(parse_value(place, line));
        refuse_twins(place, row.columns);
    }
    if (row.columns.empty()) {
        throw SourceError(place, "row type: no columns; write one a line, \"name type\"");
    }
    return row;
}

Declared parse_list(const Place& place, std::string_view list, const RowTypes& rows) {
    Declared declared;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        const std::string_view item = trimmed(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
        if (item.starts_with("{{")) {
            add_row(place, item, rows, declared);
        } else {
            declared.values.push_back(parse_value(place, item));
        }
    }
    refuse_twins(place, declared.values);
    return declared;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    text.remove_prefix(begin);
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return text.substr(0, last == text.npos ? 0 : last + 1);
}

std::string camel(std::string_view name) {
    std::string out;
    bool upper = true;
    for (const char c : name) {
        if (c != '_') out += upper ? static_cast<char>(std::toupper(c)) : c;
        upper = c == '_';
    }
    return out;
}

}  // namespace pawl::sqlgen
