// A signature scheme, compiled from its description: templates and pointers parsed, secrets
// decoded, keys prepared. Owned by its Provider, immutable, safe from all threads.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/crypto.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "providers/config.hpp"

namespace pawl::providers {

// One place in a delivery: a header line, or a scalar in the JSON body.
struct Source {
    enum class From { header, json };
    From from = From::header;
    std::string header;
    json::Pointer pointer;
};
Result<Source> parse_source(std::string_view text);  // "header:NAME" or "json:/pointer"

// A piece of the signed text.
struct Piece {
    enum class Kind { literal, body, ts, id, url, secret, source };
    Kind kind = Kind::literal;
    std::string literal;
    Source source;
};
Result<std::vector<Piece>> parse_template(std::string_view text);

struct Key {
    std::string id;  // only where the scheme selects by a key id
    // An HMAC key, a public key, or the secret itself for tokens and plain hashes.
    std::variant<crypto::HmacKey, crypto::PublicKey, std::string> material;
};

struct Scheme {
    SchemeConfig config;
    Source source;
    std::vector<Piece> sign;
    std::optional<Source> id;
    std::optional<Source> timestamp;  // nullopt: no replay window, or config.list has it
    std::string select_by;            // header
    std::string url;
    std::vector<Key> keys;

    bool is_token() const { return config.alg == Alg::token || config.alg == Alg::token_sha256; }
    bool signs(Piece::Kind kind) const;
};

Result<Scheme> compile_scheme(const SchemeConfig& scheme, const ProviderConfig& provider,
                              std::span<const std::string> secrets);

// One key for each secret, in order.
Result<std::vector<Key>> prepare_keys(const Scheme& scheme, std::span<const std::string> secrets);

// The bytes of a secret as the scheme uses them. Errors never show the secret.
Result<std::string> secret_bytes(const KeyRule& rule, std::string_view secret);

// Returns the largest part of the body that a signature can prove, whatever the file claims.
Covers covers_at_most(const SchemeConfig& scheme);

// Every line of that name, in order, without the blanks around it.
std::vector<std::string_view> header_lines(const Headers& headers, std::string_view name);

}  // namespace pawl::providers
