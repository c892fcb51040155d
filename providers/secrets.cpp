#include "base/encoding.hpp"
#include "providers/scheme.hpp"

namespace pawl::providers {
namespace {

// Short keys can be guessed. Decoded keys come from a generator, which makes at least 128 bits; raw
// ones are often chosen by hand, and some providers accept no more than a word.
constexpr std::size_t decoded_bytes_min = 16;
constexpr std::size_t raw_bytes_min = 8;

std::string_view stripped(const KeyRule& rule, std::string_view secret) {
    if (!rule.strip.empty() && secret.starts_with(rule.strip))
        secret.remove_prefix(rule.strip.size());
    return secret;
}

Result<crypto::PublicKey> public_key(const SchemeConfig& scheme, std::string_view secret) {
    const bool rsa = scheme.alg == Alg::rsa_pkcs1_sha256;
    if (rsa || secret.find("-----BEGIN") != std::string_view::npos) {
        auto key = crypto::PublicKey::from_pem(secret);
        if (key && key->is_rsa() != rsa) return invalid("is a key of another algorithm");
        return key;
    }
    const auto raw = from_base64(stripped(scheme.key, secret));
    if (!raw) return invalid("is neither a PEM nor base64");
    return crypto::PublicKey::ed25519(*raw);
}

Result<Key> prepare_key(const SchemeConfig& scheme, std::string_view secret) {
    if (scheme.alg == Alg::rsa_pkcs1_sha256 || scheme.alg == Alg::ed25519) {
        auto key = public_key(scheme, secret);
        if (!key) return key.error();
        return Key{"", std::move(*key)};
    }
    auto bytes = secret_bytes(scheme.key, secret);
    if (!bytes) return bytes.error();
    switch (scheme.alg) {
        case Alg::hmac_sha1:
            return Key{"", crypto::HmacKey(crypto::Hash::sha1, *bytes)};
        case Alg::hmac_sha256:
            return Key{"", crypto::HmacKey(crypto::Hash::sha256, *bytes)};
        case Alg::hmac_sha512:
            return Key{"", crypto::HmacKey(crypto::Hash::sha512, *bytes)};
        default:
            return Key{"", std::move(*bytes)};
    }
}

}  // namespace

Result<std::string> secret_bytes(const KeyRule& rule, std::string_view secret) {
    secret = stripped(rule, secret);
    std::optional<std::string> bytes;
    switch (rule.decode) {
        case KeyDecode::raw:
            bytes = std::string(secret);
            break;
        case KeyDecode::hex:
            bytes = from_hex(secret);
            break;
        case KeyDecode::base64:
            bytes = from_base64(secret);
            break;
    }
    if (!bytes) {
        return invalid(rule.decode == KeyDecode::hex ? "is not hex" : "is not base64");
    }
    const std::size_t least = rule.decode == KeyDecode::raw ? raw_bytes_min : decoded_bytes_min;
    if (bytes->size() < least) {
        return invalid("has " + std::to_string(bytes->size()) + " bytes; fewer than " +
                       std::to_string(least) + " can be guessed");
    }
    return std::move(*bytes);
}

Result<std::vector<Key>> prepare_keys(const Scheme& scheme, std::span<const std::string> secrets) {
    if (secrets.empty()) return invalid("secrets is empty: nothing could be verified");
    std::vector<Key> keys;
    for (std::size_t i = 0; i < secrets.size(); ++i) {
        std::string_view secret = secrets[i];
        const std::string which = "secret " + std::to_string(i + 1) + " ";
        std::string id;
        if (!scheme.select_by.empty()) {
            const auto colon = secret.find(':');
            if (colon == std::string_view::npos) {
                return invalid(which + "must be written KEYID:SECRET");
            }
            id = secret.substr(0, colon);
            secret.remove_prefix(colon + 1);
        }
        auto key = prepare_key(scheme.config, secret);
        if (!key) return invalid(which + key.error().message);
        key->id = std::move(id);
        keys.push_back(std::move(*key));
    }
    return keys;
}

}  // namespace pawl::providers
