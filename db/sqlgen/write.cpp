#include "db/sqlgen/write.hpp"

#include <fmt/core.h>

namespace pawl::sqlgen {
namespace {

std::string literal(std::string_view text) {
    return fmt::format("R\"sql({})sql\"", text);
}

std::string text_of(Texts texts, const std::string& text, const std::string& file) {
    return texts == Texts::inside ? literal(text) : fmt::format("db::text_of(\"{}\")", file);
}

std::string reader_of(const Value& column, std::size_t position, std::string_view base) {
    const Type& type = types().find(column.type)->second;
    const std::string result =
        column.nullable ? fmt::format("std::optional<{}>", type.result) : std::string(type.result);
    return fmt::format("{} {}() const {{ return row_.{}{}({}{}); }}", result, column.name,
                       column.nullable ? "maybe_" : "", type.reader, base, position);
}

std::string reader_of(const Part& part) {
    const std::string type = camel(part.row) + "Row";
    if (!part.nullable) {
        return fmt::format("{0} {1}() const {{ return {0}(row_, {2}); }}", type, part.row,
                           part.first);
    }
    return fmt::format(
        "std::optional<{0}> {1}() const {{\n            if (row_.null({2})) return std::nullopt;\n"
        "            return {0}(row_, {2});\n        }}",
        type, part.row, part.first);
}

// A row type: in some statements other columns precede its own.
std::string class_of(const RowType& row) {
    std::string out = fmt::format(
        "class {0}Row {{\n  public:\n    explicit {0}Row(const db::Row& row, int first = 0) : "
        "row_(row), first_(first) {{}}\n",
        camel(row.name));
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
        out += "    " + reader_of(row.columns[i], i, "first_ + ") + "\n";
    }
    return out + "\n  private:\n    db::Row row_;\n    int first_;\n};\n";
}

// The rows of one statement.
std::string row_of(const Statement& statement) {
    const Declared& gives = statement.gives;
    if (gives.values.empty()) return "    using Row = db::NoRow;\n";
    if (gives.is_row()) return fmt::format("    using Row = {}Row;\n", camel(gives.parts[0].row));
    std::string out =
        "    class Row {\n      public:\n        explicit Row(const db::Row& row) : row_(row) {}\n";
    auto part = gives.parts.begin();
    for (std::size_t i = 0; i < gives.values.size();) {
        const bool in_part = part != gives.parts.end() && part->first == i;
        out += "        " + (in_part ? reader_of(*part) : reader_of(gives.values[i], i, "")) + "\n";
        i += in_part ? part->columns : 1;
        if (in_part) ++part;
    }
    return out + "\n      private:\n        db::Row row_;\n    };\n";
}

std::string struct_of(const Statement& statement) {
    std::string out = fmt::format("// {}\nstruct {} {{\n", statement.file, camel(statement.name));
    std::string addresses;
    for (const Value& value : statement.takes) {
        const Type& type = types().find(value.type)->second;
        out += fmt::format("    db::{}{} {};\n", value.nullable ? "Maybe" : "", type.parameter,
                           value.name);
        addresses += (addresses.empty() ? "&" : ", &") + value.name;
    }
    out += row_of(statement);
    out += fmt::format("    static const db::Query& query() {{ return {}; }}\n", statement.name);
    out += fmt::format(
        "    std::array<const db::Param*, {}> parameters() const {{ return {{{}}}; }}\n}};\n\n",
        statement.takes.size(), addresses);
    return out;
}

std::string values_of(const std::string& name, const std::vector<Value>& values) {
    if (values.empty()) return "";
    std::string out = fmt::format("constexpr db::DeclaredValue {}[] = {{\n", name);
    for (const Value& value : values) {
        out += fmt::format("    {{\"{}\", \"{}\", {}}},\n", value.name, value.type, value.nullable);
    }
    return out + "};\n";
}

std::string query_of(const Folder& folder, const Statement& statement, Texts texts) {
    const std::string takes = "takes_" + statement.name;
    const std::string gives = "gives_" + statement.name;
    std::string out = "namespace {\n" + values_of(takes, statement.takes) +
                      values_of(gives, statement.gives.values) + "}\n";
    const std::string file = fmt::format("generated/{}/sql/{}.sql", folder.name, statement.name);
    out += fmt::format("{} db::Query {}{{\n    \"{}_{}\", {},\n    {}, {}, {}}};\n\n",
                       texts == Texts::inside ? "constinit const" : "const", statement.name,
                       folder.name, statement.name, text_of(texts, statement.text, file),
                       statement.takes.empty() ? "{}" : takes,
                       statement.gives.values.empty() ? "{}" : gives,
                       statement.ignored      ? "db::Query::Rows::ignored"
                       : statement.positional ? "db::Query::Rows::undeclared"
                                              : "db::Query::Rows::declared");
    return out;
}

}  // namespace

std::string header_of(const Folder& folder) {
    std::string out = fmt::format(
        "// Generated by db/sqlgen from {0}/sql; edit the files there.\n#pragma once\n\n#include "
        "<array>\n#include <cstdint>\n#include <optional>\n#include <string>\n#include "
        "<string_view>\n\n#include \"db/parameter.hpp\"\n#include \"db/query.hpp\"\n#include "
        "\"db/rows.hpp\"\n\nnamespace pawl::{0}::sql {{\n\n",
        folder.name);
    std::string all;
    for (const Statement& statement : folder.statements) {
        out += fmt::format("extern const db::Query {};\n", statement.name);
        all += fmt::format("{}&{}", all.empty() ? "" : ", ", statement.name);
    }
    out += fmt::format("inline constexpr const db::Query* all[] = {{{}}};\n\n", all);
    for (const auto& [name, row] : folder.rows) {
        out += fmt::format("// {}/sql/{}.row\n", folder.name, name);
        out += class_of(row) + "\n";
    }
    for (const Statement& statement : folder.statements) {
        if (!statement.positional) out += struct_of(statement);
    }
    return out + fmt::format("}}  // namespace pawl::{}::sql\n", folder.name);
}

std::string source_of(const Folder& folder, Texts texts) {
    std::string out = fmt::format(
        "// Generated by db/sqlgen from {0}/sql; edit the files there.\n#include "
        "\"{0}/sql.hpp\"\n{1}\nnamespace pawl::{0}::sql {{\n\n",
        folder.name, texts == Texts::inside ? "" : "#include \"db/text_of.hpp\"\n");
    for (const Statement& statement : folder.statements) {
        out += query_of(folder, statement, texts);
    }
    return out + fmt::format("}}  // namespace pawl::{}::sql\n", folder.name);
}

std::string migrations_of(const std::vector<Script>& scripts, Texts texts) {
    std::string out = fmt::format(
        "// Generated by db/sqlgen from migrations; edit the files there.\n#include "
        "\"db/migration.hpp\"\n{}\nnamespace pawl::db {{\n\nstd::span<const Migration> embedded() "
        "{{\n    static const Migration all[] = {{\n",
        texts == Texts::inside ? "" : "#include \"db/text_of.hpp\"\n");
    for (const Script& script : scripts) {
        out += fmt::format("        {{\"{}\", {}}},\n", script.name,
                           text_of(texts, script.text, script.file));
    }
    return out + "    };\n    return all;\n}\n\n}  // namespace pawl::db\n";
}

}  // namespace pawl::sqlgen
