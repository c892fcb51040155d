#include "db/rows.hpp"

#include <pqxx/result>
#include <pqxx/row>

#include "base/text.hpp"
#include "db/failure.hpp"

namespace pawl::db {
namespace {

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c - 'a' + 10;  // PostgreSQL writes bytea in lower-case hex
}

}  // namespace

bool Row::null(int column) const {
    return (*result_)[row_][column].is_null();
}

std::string_view Row::text(int column) const {
    const auto field = (*result_)[row_][column];
    if (field.size() == 0 && field.is_null()) refuse_null(column);
    return {field.c_str(), field.size()};
}

// A column that was declared without "null": its reader has nothing to return.
void Row::refuse_null(int column) const {
    throw Failure(FailureKind::permanent, "",
                  std::string("column \"") + result_->column_name(column) +
                      "\": is NULL, and was declared without null; declare it with null");
}

std::optional<std::string_view> Row::maybe_text(int column) const {
    const auto field = (*result_)[row_][column];
    if (field.is_null()) return std::nullopt;
    return std::string_view(field.c_str(), field.size());
}

std::int64_t Row::number(int column) const {
    const auto value = to_number<std::int64_t>(text(column));
    if (!value) {
        throw Failure(FailureKind::permanent, "",
                      "expected a number from the database, got \"" + str(column) + "\"");
    }
    return *value;
}

std::optional<std::int64_t> Row::maybe_number(int column) const {
    return null(column) ? std::nullopt : std::optional(number(column));
}

int Row::integer(int column) const {
    return static_cast<int>(number(column));
}

std::optional<int> Row::maybe_integer(int column) const {
    return null(column) ? std::nullopt : std::optional(integer(column));
}

bool Row::flag(int column) const {
    return text(column) == "t";
}

std::optional<bool> Row::maybe_flag(int column) const {
    return null(column) ? std::nullopt : std::optional(flag(column));
}

std::string Row::bytes(int column) const {
    const std::string_view hex = text(column);
    std::string out;
    if (hex.size() < 2) return out;
    out.reserve(hex.size() / 2);
    for (std::size_t i = 2; i + 1 < hex.size(); i += 2) {
        out += static_cast<char>(digit_of(hex[i]) * 16 + digit_of(hex[i + 1]));
    }
    return out;
}

std::optional<std::string> Row::maybe_bytes(int column) const {
    return null(column) ? std::nullopt : std::optional(bytes(column));
}

Time Row::time(int column) const {
    // "2026-01-31 12:00:00.5+00" lacks only the minutes of its offset to be RFC 3339.
    const auto parsed = parse_rfc3339(str(column) + ":00");
    if (!parsed) throw Failure(FailureKind::permanent, "", parsed.error().message);
    return *parsed;
}

std::optional<Time> Row::maybe_time(int column) const {
    return null(column) ? std::nullopt : std::optional(time(column));
}

int Rows::size() const {
    return static_cast<int>(result_->size());
}

std::int64_t Rows::affected() const {
    return static_cast<std::int64_t>(result_->affected_rows());
}

Row Rows::only() const {
    if (size() != 1) {
        throw Failure(FailureKind::permanent, "",
                      "expected one row from the database, got " + std::to_string(size()));
    }
    return (*this)[0];
}

std::string Rows::value() const {
    return empty() ? "" : std::string((*this)[0].maybe_text(0).value_or(""));
}

std::vector<NamedRow> Rows::named() const {
    std::vector<NamedRow> all;
    for (const Row row : *this) {
        NamedRow& one = all.emplace_back();
        for (int column = 0; column < static_cast<int>(result_->columns()); ++column) {
            one.emplace(result_->column_name(column), row.maybe_text(column).value_or(""));
        }
    }
    return all;
}

}  // namespace pawl::db
