#include "outbound/message_signer.hpp"

#include <chrono>

#include "base/encoding.hpp"

namespace pawl::outbound {
namespace {

// Key lengths that the specification requires.
constexpr std::size_t key_bytes_min = 24;
constexpr std::size_t key_bytes_max = 64;

Result<std::string> key_bytes(std::string_view secret) {
    constexpr std::string_view prefix = "whsec_";
    if (!secret.starts_with(prefix)) return invalid("does not begin with whsec_");
    auto bytes = from_base64(secret.substr(prefix.size()));
    if (!bytes) return invalid("is not base64 after whsec_");
    if (bytes->size() < key_bytes_min || bytes->size() > key_bytes_max) {
        return invalid("has " + std::to_string(bytes->size()) + " bytes; it must have 24 to 64");
    }
    return std::move(*bytes);
}

}  // namespace

Result<MessageSigner> MessageSigner::create(const std::vector<std::string>& secrets) {
    if (secrets.empty()) return invalid("there is no secret to sign with");
    MessageSigner signer;
    for (std::size_t i = 0; i < secrets.size(); ++i) {
        const auto bytes = key_bytes(secrets[i]);
        if (!bytes) return invalid("secret " + std::to_string(i + 1) + " " + bytes.error().message);
        signer.keys_.emplace_back(crypto::Hash::sha256, *bytes);
    }
    return signer;
}

Headers MessageSigner::sign(const std::string& id, Time at, std::string_view body) const {
    using std::chrono::seconds;
    const auto since = std::chrono::floor<seconds>(at.time_since_epoch());
    const std::string timestamp = std::to_string(since.count());
    const std::string_view parts[] = {id, ".", timestamp, ".", body};
    std::string signatures;
    for (const crypto::HmacKey& key : keys_) {
        if (!signatures.empty()) signatures += ' ';
        signatures += "v1," + to_base64(key.sign(parts));
    }
    return {{"webhook-id", id},
            {"webhook-timestamp", timestamp},
            {"webhook-signature", std::move(signatures)}};
}

}  // namespace pawl::outbound
