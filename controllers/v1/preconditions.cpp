#include "controllers/v1/preconditions.hpp"

#include <algorithm>
#include <charconv>

#include "controllers/http/http_head.hpp"

namespace pawl::http {
namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

std::optional<std::int64_t> number_of(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool good = error == std::errc{} && end == text.data() + text.size() && number >= 0;
    return good ? std::optional(number) : std::nullopt;
}

// Every element of a header that is a list, of all its lines.
template <class Visit>
void each_element(const Request& request, std::string_view name, char separator, Visit visit) {
    for (const auto& [key, value] : request.headers) {
        if (!same_text(key, name)) continue;
        std::string_view rest = value;
        while (!rest.empty()) {
            const std::string_view one = rest.substr(0, rest.find(separator));
            rest.remove_prefix(std::min(one.size() + 1, rest.size()));
            visit(trimmed(one));
        }
    }
}

}  // namespace

std::string etag_of(std::int64_t version) {
    return "\"" + std::to_string(version) + "\"";
}

bool IfMatch::holds_for(std::int64_t version) const {
    return any || std::find(versions.begin(), versions.end(), version) != versions.end();
}

IfMatch if_match_of(const Request& request) {
    IfMatch match;
    match.there = request.header("if-match").has_value();
    each_element(request, "if-match", ',', [&match](std::string_view tag) {
        if (tag == "*") match.any = true;
        if (tag.size() < 3 || tag.front() != '"' || tag.back() != '"') return;
        const auto version = number_of(tag.substr(1, tag.size() - 2));
        if (version) match.versions.push_back(*version);
    });
    return match;
}

std::chrono::seconds wait_of(const Request& request) {
    std::optional<std::int64_t> asked;
    each_element(request, "prefer", ',', [&asked](std::string_view preference) {
        preference = trimmed(preference.substr(0, preference.find(';')));
        const auto equals = preference.find('=');
        if (equals == std::string_view::npos || asked) return;
        if (!same_text(trimmed(preference.substr(0, equals)), "wait")) return;
        std::string_view value = trimmed(preference.substr(equals + 1));
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
            value = value.substr(1, value.size() - 2);
        }
        asked = number_of(value);
    });
    if (!asked) return wait_default;
    return std::min(wait_max,
                    std::chrono::seconds(std::min<std::int64_t>(*asked, wait_max.count())));
}

}  // namespace pawl::http
