#include "db/params.hpp"

namespace pawl::db {
namespace {

void append_element(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    out += '"';
}
void append_element(std::string& out, const std::string& text) {
    append_element(out, std::string_view(text));
}
void append_element(std::string& out, std::int64_t number) {
    out += std::to_string(number);
}
void append_element(std::string& out, bool flag) {
    out += flag ? 't' : 'f';
}
void append_element(std::string& out, Time time) {
    append_element(out, to_rfc3339(time));
}

template <class T>
void append_element(std::string& out, const std::optional<T>& value) {
    if (value) {
        append_element(out, *value);
    } else {
        out += "NULL";
    }
}

template <class T>
Param array_of(const std::vector<T>& values) {
    std::string out = "{";
    for (const auto& value : values) {
        if (out.size() > 1) out += ',';
        append_element(out, value);
    }
    out += '}';
    return {Param::Form::text, std::move(out)};
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

Params& Params::texts(const std::vector<std::string>& values) {
    return list_.push_back(array_of(values)), *this;
}
Params& Params::texts(const std::vector<std::optional<std::string>>& values) {
    return list_.push_back(array_of(values)), *this;
}
Params& Params::numbers(const std::vector<std::int64_t>& values) {
    return list_.push_back(array_of(values)), *this;
}
Params& Params::numbers(const std::vector<std::optional<std::int64_t>>& values) {
    return list_.push_back(array_of(values)), *this;
}
Params& Params::flags(const std::vector<bool>& values) {
    return list_.push_back(array_of(values)), *this;
}
Params& Params::times(const std::vector<Time>& values) {
    return list_.push_back(array_of(values)), *this;
}
Params& Params::times(const std::vector<std::optional<Time>>& values) {
    return list_.push_back(array_of(values)), *this;
}

}  // namespace pawl::db
