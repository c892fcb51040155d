#include "providers/verify.hpp"

#include <algorithm>

#include "providers/candidates.hpp"

namespace pawl::providers {
namespace {

// The search for a proxy's changes of the body serves the reader of the log. It must not become a
// way to exhaust the CPU.
constexpr std::size_t altered_body_bytes_max = 64 * 1024;

std::string joined(const Message& message) {
    std::string text;
    for (const auto part : message.parts) text += part;
    return text;
}

bool any_equal(const std::vector<std::string>& signatures, std::string_view expected) {
    return std::any_of(signatures.begin(), signatures.end(),
                       [&](const std::string& one) { return crypto::equal(one, expected); });
}

bool matches_secret(Alg alg, std::string_view secret, Message message,
                    const std::vector<std::string>& signatures) {
    for (const std::size_t slot : message.secret_slots) message.parts[slot] = secret;
    switch (alg) {
        // Hashed first, so that not even the length of the secret can be measured.
        case Alg::token: {
            const auto expected = crypto::digest(crypto::Hash::sha256, secret);
            return std::any_of(signatures.begin(), signatures.end(), [&](const std::string& one) {
                return crypto::equal(crypto::digest(crypto::Hash::sha256, one), expected);
            });
        }
        case Alg::token_sha256:
            return any_equal(signatures, crypto::digest(crypto::Hash::sha256, secret));
        case Alg::sha256:
            return any_equal(signatures, crypto::digest(crypto::Hash::sha256, message.parts));
        case Alg::sha512:
            return any_equal(signatures, crypto::digest(crypto::Hash::sha512, message.parts));
        default:
            return false;
    }
}

bool matches(Alg alg, const Key& key, const Message& message,
             const std::vector<std::string>& signatures) {
    if (const auto* hmac = std::get_if<crypto::HmacKey>(&key.material)) {
        return any_equal(signatures, hmac->sign(message.parts));
    }
    if (const auto* verifier = std::get_if<crypto::PublicKey>(&key.material)) {
        const std::string text = joined(message);
        return std::any_of(signatures.begin(), signatures.end(),
                           [&](const std::string& one) { return verifier->verify(text, one); });
    }
    return matches_secret(alg, std::get<std::string>(key.material), message, signatures);
}

bool any_key_matches(const Scheme& scheme, std::string_view key_id, const Message& message,
                     const std::vector<std::string>& signatures) {
    return std::any_of(scheme.keys.begin(), scheme.keys.end(), [&](const Key& key) {
        return (scheme.select_by.empty() || key.id == key_id) &&
               matches(scheme.config.alg, key, message, signatures);
    });
}

std::vector<std::string> plausible_originals(const std::string& body) {
    std::vector<std::string> originals = {body + "\n", json::minify(body)};
    if (const auto end = body.find_last_not_of(" \r\n\t"); end != std::string::npos) {
        originals.push_back(body.substr(0, end + 1));
    }
    std::string unix_lines;
    std::copy_if(body.begin(), body.end(), std::back_inserter(unix_lines),
                 [](char c) { return c != '\r'; });
    originals.push_back(std::move(unix_lines));
    return originals;
}

bool was_reformatted(const Scheme& scheme, std::string_view key_id, const std::string& body,
                     Message message, const std::vector<std::string>& signatures) {
    const bool hmac = std::holds_alternative<crypto::HmacKey>(scheme.keys[0].material);
    if (!hmac || body.size() > altered_body_bytes_max || message.body_slots.empty()) return false;
    for (const std::string& original : plausible_originals(body)) {
        for (const std::size_t slot : message.body_slots) message.parts[slot] = original;
        if (any_key_matches(scheme, key_id, message, signatures)) return true;
    }
    return false;
}

Verification judge_age(const TimestampRule& rule, Time signed_at, Time received_at) {
    // Providers count whole seconds: 300.4 s after a time that was cut to seconds is 300 s.
    if (rule.unit == TimeUnit::seconds)
        received_at = std::chrono::floor<std::chrono::seconds>(received_at);
    if (received_at - signed_at > rule.max_age) {
        return {Diagnosis::timestamp_too_old,
                "signed at " + to_rfc3339(signed_at) + ", which is more than " +
                    pawl::to_text(rule.max_age) + " before it arrived"};
    }
    if (signed_at - received_at > rule.max_future) {
        return {Diagnosis::timestamp_in_future,
                "signed at " + to_rfc3339(signed_at) + ", which is more than " +
                    pawl::to_text(rule.max_future) + " after it arrived"};
    }
    return {Diagnosis::authentic, "signed by a listed secret"};
}

Verification judge(const Scheme& scheme, const Delivery& delivery, Evidence& evidence,
                   std::string_view key_id, Candidate& candidate) {
    Time signed_at;
    Message message;
    if (auto refusal = evidence.timestamp(candidate, signed_at)) return *refusal;
    if (auto refusal = evidence.message(candidate, message)) return *refusal;
    if (any_key_matches(scheme, key_id, message, candidate.signatures)) {
        if (!scheme.config.timestamp) return {Diagnosis::authentic, "signed by a listed secret"};
        return judge_age(*scheme.config.timestamp, signed_at, delivery.received_at);
    }
    if (was_reformatted(scheme, key_id, delivery.body, message, candidate.signatures)) {
        return {Diagnosis::body_altered,
                "the signature fits this body in another format: something on the way rewrote it"};
    }
    return {Diagnosis::wrong_secret,
            "no listed secret makes this signature over these bytes: another secret, a changed "
            "body, or a forgery"};
}

}  // namespace

std::string_view to_text(Diagnosis diagnosis) {
    switch (diagnosis) {
        case Diagnosis::header_missing:
            return "header_missing";
        case Diagnosis::header_malformed:
            return "header_malformed";
        case Diagnosis::wrong_secret:
            return "wrong_secret";
        case Diagnosis::body_altered:
            return "body_altered";
        case Diagnosis::timestamp_too_old:
            return "timestamp_too_old";
        case Diagnosis::timestamp_in_future:
            return "timestamp_in_future";
        case Diagnosis::authentic:
            return "ok";
    }
    return "header_malformed";
}

Verification verify(const Scheme& scheme, const Delivery& delivery) {
    Evidence evidence(scheme, delivery);
    std::vector<Candidate> candidates;
    if (auto refusal = evidence.candidates(candidates)) return *refusal;
    std::string key_id;
    if (!scheme.select_by.empty()) {
        const Source source{Source::From::header, scheme.select_by, {}};
        if (auto refusal = evidence.single(source, key_id)) return *refusal;
    }
    Verification furthest;
    for (Candidate& candidate : candidates) {
        Verification verdict = judge(scheme, delivery, evidence, key_id, candidate);
        if (verdict.diagnosis >= furthest.diagnosis) furthest = std::move(verdict);
        if (furthest.authentic()) break;
    }
    return furthest;
}

Verification verify(const std::vector<Scheme>& schemes, const Delivery& delivery) {
    Verification furthest;
    for (const Scheme& scheme : schemes) {
        Verification verdict = verify(scheme, delivery);
        if (verdict.diagnosis >= furthest.diagnosis) furthest = std::move(verdict);
        if (furthest.authentic()) break;
    }
    return furthest;
}

}  // namespace pawl::providers
