#include "controllers/v1/body.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace pawl::http {
namespace {

bool is_plain(const std::string& text) {
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

}  // namespace

Result<Body> Body::parse(std::string_view text) {
    auto document = json::Document::parse(text);
    if (!document) return invalid("The body is no JSON: " + document.error().message);
    if (document->root().kind() != json::Kind::object) {
        return invalid("The body has to be a JSON object.");
    }
    return Body(std::move(*document));
}

std::optional<json::Value> Body::member(const char* name) const {
    auto value = document_.root().at(json::Pointer::parse("/" + std::string(name)).value());
    if (value && value->kind() == json::Kind::null) return std::nullopt;
    return value;
}

bool Body::has(const char* name) const {
    return member(name).has_value();
}

Result<std::optional<std::string>> Body::text(const char* name, std::size_t bytes_max) const {
    const auto value = member(name);
    if (!value) return std::optional<std::string>();
    auto text = value->text();
    const bool good = value->kind() == json::Kind::string && text && !text->empty() &&
                      text->size() <= bytes_max && is_plain(*text);
    if (good) return text;
    return invalid(fmt::format("\"{}\" is a string of 1 to {} bytes without control characters.",
                               name, bytes_max));
}

Result<bool> Body::flag(const char* name) const {
    const auto value = member(name);
    if (!value) return false;
    if (value->kind() == json::Kind::boolean) return value->text() == "true";
    return invalid(fmt::format("\"{}\" is true or false.", name));
}

Result<std::int64_t> Body::amount(const char* name, Currency currency) const {
    const auto value = member(name);
    const auto wrong = invalid(fmt::format(
        "\"{}\" is a whole number above zero, in minor units: 5000 is 50.00 USD.", name));
    if (!value || value->kind() != json::Kind::number) return wrong;
    const auto money = from_minor_text(value->raw(), currency);
    if (!money || money->minor <= 0) return wrong;
    return money->minor;
}

}  // namespace pawl::http
