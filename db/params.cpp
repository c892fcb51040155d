#include "db/params.hpp"

namespace pawl::db {
namespace {

template <class Column, class Values>
Param array_of(const Values& values) {
    Column column;
    for (const auto& value : values) column.add(value);
    return {Param::Form::binary, column.take_array()};
}

}  // namespace

Params& Params::text(std::string_view value) {
    list_.push_back({Param::Form::text, std::string(value)});
    return *this;
}
Params& Params::maybe_text(const std::optional<std::string>& value) {
    return value ? text(std::string_view(*value)) : null();
}
Params& Params::number(std::int64_t value) {
    return text(std::to_string(value));
}
Params& Params::maybe_number(std::optional<std::int64_t> value) {
    return value ? number(*value) : null();
}
Params& Params::flag(bool value) {
    return text(value ? "t" : "f");
}
Params& Params::time(Time value) {
    return text(to_rfc3339(value));
}
Params& Params::bytes(std::string_view value) {
    list_.push_back({Param::Form::binary, std::string(value)});
    return *this;
}
Params& Params::null() {
    list_.emplace_back();
    return *this;
}

// No array at all is taken apart into nulls, too, beside the columns that have values: that is a
// quarter of the columns of an ordinary batch, and each value of an array costs its time.
Params& Params::column(Column column) {
    if (column.only_nulls()) return null();
    list_.push_back({Param::Form::binary, column.take_array()});
    return *this;
}

std::vector<const Param*> Params::pointers() const {
    std::vector<const Param*> all;
    for (const Param& one : list_) all.push_back(&one);
    return all;
}

Params& Params::texts(const std::vector<std::string>& values) {
    return list_.push_back(array_of<Texts>(values)), *this;
}
Params& Params::texts(const std::vector<std::optional<std::string>>& values) {
    return list_.push_back(array_of<Texts>(values)), *this;
}
Params& Params::numbers(const std::vector<std::int64_t>& values) {
    return list_.push_back(array_of<Numbers>(values)), *this;
}
Params& Params::numbers(const std::vector<std::optional<std::int64_t>>& values) {
    return list_.push_back(array_of<Numbers>(values)), *this;
}
Params& Params::flags(const std::vector<bool>& values) {
    return list_.push_back(array_of<Flags>(values)), *this;
}
Params& Params::times(const std::vector<Time>& values) {
    return list_.push_back(array_of<Times>(values)), *this;
}
Params& Params::times(const std::vector<std::optional<Time>>& values) {
    return list_.push_back(array_of<Times>(values)), *this;
}

}  // namespace pawl::db
