#include "controllers/admin/members.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace pawl::http {

Members::Members(const json::Document& body, const std::vector<std::string_view>& known)
    : root_(body.root()) {
    for (const json::Value& one : root_.children()) {
        if (std::find(known.begin(), known.end(), one.key()) == known.end()) {
            complain(one.key(), "is unknown");
        }
    }
}

std::optional<std::string> Members::text(const char* name) {
    const auto value = find(name);
    if (!value) return std::nullopt;
    if (value->kind() != json::Kind::string) complain(name, "is not a string");
    return value->text();
}

std::optional<std::int64_t> Members::number(const char* name) {
    const auto value = find(name);
    if (!value) return std::nullopt;
    const std::string_view digits = value->raw();
    std::int64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    const bool whole = error == std::errc{} && stop == end && number > 0;
    if (value->kind() != json::Kind::number || !whole) {
        complain(name, "is not a whole number above zero");
    }
    return number;
}

std::optional<json::Value> Members::find(const char* name) const {
    return root_.at(json::Pointer::parse("/" + std::string(name)).value());
}

void Members::complain(std::string_view name, const char* what) {
    if (wrong_.empty()) wrong_ = fmt::format("{}: {}", name, what);
}

}  // namespace pawl::http
