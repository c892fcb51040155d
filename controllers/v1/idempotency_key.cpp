#include "controllers/v1/idempotency_key.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/crypto.hpp"
#include "base/text.hpp"

namespace pawl::http {
namespace {

constexpr std::size_t key_characters_max = 255;

// A structured-field string (RFC 9651): in quotes, and \ stands before " and \ only. Parameters
// are refused: two requests that differ in one would be the same key.
std::optional<std::string> unquoted(std::string_view text) {
    if (text.size() < 2 || !text.starts_with('"') || !text.ends_with('"')) return std::nullopt;
    text = text.substr(1, text.size() - 2);
    std::string key;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '"') return std::nullopt;
        if (c == '\\') {
            if (++i == text.size()) return std::nullopt;
            c = text[i];
            if (c != '"' && c != '\\') return std::nullopt;
        }
        key += c;
    }
    return key;
}

bool is_visible(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

IdempotencyKey malformed(const char* detail) {
    return {{}, KeyTrouble::malformed, detail};
}

IdempotencyKey read_key(std::string_view value) {
    std::optional<std::string> key(value);
    if (value.starts_with('"')) key = unquoted(value);
    if (!key)
        return malformed(
            "Idempotency-Key: not a structured-field string and not a bare key; send a UUID");
    if (key->empty()) return malformed("Idempotency-Key: empty; send a UUID");
    if (key->size() > key_characters_max) {
        return malformed("Idempotency-Key: longer than 255 characters; send a UUID");
    }
    if (!is_visible(*key)) {
        return malformed(
            "Idempotency-Key: has a blank or a character that is not visible ASCII; send a UUID");
    }
    return {std::move(*key), KeyTrouble::none, {}};
}

}  // namespace

IdempotencyKey idempotency_key_of(const Request& request) {
    std::optional<std::string_view> found;
    for (const auto& [name, value] : request.headers) {
        if (!equal_ignoring_case(name, "idempotency-key")) continue;
        if (found) return malformed("Idempotency-Key: sent twice; send one");
        found = value;
    }
    if (found) return read_key(*found);
    return {
        {},
        KeyTrouble::missing,
        "Idempotency-Key: missing; send this header, with a new UUID for each payment or refund"};
}

std::string fingerprint_of(const Request& request) {
    const std::string type(request.header("content-type").value_or(""));
    // Each part says how long it is, so that no two requests run together to the same bytes.
    const auto length = [](std::string_view part) { return std::to_string(part.size()) + ":"; };
    const std::array<std::string, 4> lengths = {length(request.method), length(request.target),
                                                length(type), length(request.body)};
    const std::array<std::string_view, 8> parts = {lengths[0],     request.method, lengths[1],
                                                   request.target, lengths[2],     type,
                                                   lengths[3],     request.body};
    return crypto::digest(crypto::Hash::sha256, parts);
}

}  // namespace pawl::http
