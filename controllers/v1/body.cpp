#include "controllers/v1/body.hpp"

#include "controllers/http/schema.hpp"

namespace pawl::http {

std::optional<std::string> Body::text(std::string_view name) const {
    const auto value = member_of(document_.root(), name);
    return value ? value->text() : std::nullopt;
}

std::optional<std::int64_t> Body::number(std::string_view name) const {
    const auto value = member_of(document_.root(), name);
    return value ? whole_number(value->raw()) : std::nullopt;
}

}  // namespace pawl::http
