#include "providers/sign.hpp"

#include "base/encoding.hpp"
#include "providers/candidates.hpp"

namespace pawl::providers {
namespace {

std::string timestamp_text(const TimestampRule& rule, Time at) {
    using std::chrono::floor;
    const auto since = at.time_since_epoch();
    switch (rule.unit) {
        case TimeUnit::seconds:
            return std::to_string(floor<std::chrono::seconds>(since).count());
        case TimeUnit::milliseconds:
            return std::to_string(floor<std::chrono::milliseconds>(since).count());
        case TimeUnit::iso:
            return to_rfc3339(at);
    }
    return {};
}

Result<crypto::PrivateKey> read_private_key(std::string_view text) {
    if (text.find("-----BEGIN") != std::string_view::npos)
        return crypto::PrivateKey::from_pem(text);
    if (text.starts_with("whsk_")) text.remove_prefix(5);
    const auto raw = from_base64(text);
    // Standard Webhooks writes the seed with the public key behind it.
    if (!raw || raw->size() < 32) return invalid("the private key is neither a PEM nor base64");
    return crypto::PrivateKey::ed25519(raw->substr(0, 32));
}

Result<std::string> signature_bytes(const Scheme& scheme, Message message,
                                    std::string_view private_key) {
    const Key& key = scheme.keys.front();
    if (const auto* hmac = std::get_if<crypto::HmacKey>(&key.material)) {
        return hmac->sign(message.parts);
    }
    if (const auto* secret = std::get_if<std::string>(&key.material)) {
        for (const std::size_t slot : message.secret_slots) message.parts[slot] = *secret;
        switch (scheme.config.alg) {
            case Alg::token:
                return *secret;
            case Alg::token_sha256:
                return crypto::digest(crypto::Hash::sha256, *secret);
            case Alg::sha256:
                return crypto::digest(crypto::Hash::sha256, message.parts);
            default:
                return crypto::digest(crypto::Hash::sha512, message.parts);
        }
    }
    auto pair = read_private_key(private_key);
    if (!pair) return pair.error();
    std::string text;
    for (const auto part : message.parts) text += part;
    return pair->sign(text);
}

std::string encoded(const SchemeConfig& config, const std::string& signature) {
    if (config.alg == Alg::token) return config.prefix + signature + config.suffix;
    std::string text;
    switch (config.encoding) {
        case Encoding::hex:
            text = to_hex(signature);
            break;
        case Encoding::base64:
            text = to_base64(signature);
            break;
        case Encoding::base64url:
            text = to_base64url(signature);
            break;
    }
    return config.prefix + text + config.suffix;
}

std::string as_list(const SchemeConfig& config, const std::string& signature,
                    const std::string& ts) {
    if (!config.list || config.list->kv.empty()) return signature;
    const SignatureList& list = *config.list;
    std::string line = list.accept + list.kv + signature;
    if (!list.ts.empty()) line = list.ts + list.kv + ts + list.sep + line;
    return line;
}

}  // namespace

Result<Headers> sign_delivery(const Scheme& scheme, const ProviderConfig& config,
                              const Outgoing& outgoing, std::string_view private_key) {
    const bool time_in_body = scheme.timestamp && scheme.timestamp->from == Source::From::json;
    if (scheme.source.from != Source::From::header || time_in_body) {
        return invalid("this scheme signs inside the body, which `send` does not write");
    }
    Delivery delivery;
    delivery.body = outgoing.body;
    Headers& headers = delivery.headers;
    Candidate candidate;
    if (const auto& rule = scheme.config.timestamp) {
        candidate.ts = timestamp_text(*rule, outgoing.at);
        if (scheme.timestamp) headers.emplace_back(scheme.timestamp->header, candidate.ts);
    }
    if (scheme.id) headers.emplace_back(scheme.id->header, outgoing.event_id);
    for (const ReadPart& part : config.read.event_id) {
        const bool header = part.at.starts_with("header:");
        if (!header || !header_lines(headers, part.at.substr(7)).empty()) continue;
        headers.emplace_back(part.at.substr(7), outgoing.event_id);
    }
    if (!scheme.select_by.empty()) headers.emplace_back(scheme.select_by, scheme.keys.front().id);
    Evidence evidence(scheme, delivery);
    Message message;
    if (auto missing = evidence.message(candidate, message)) return invalid(missing->detail);
    auto signature = signature_bytes(scheme, message, private_key);
    if (!signature) return signature.error();
    headers.emplace_back(scheme.source.header,
                         as_list(scheme.config, encoded(scheme.config, *signature), candidate.ts));
    return headers;
}

}  // namespace pawl::providers
