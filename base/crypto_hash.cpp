#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <climits>
#include <cstdlib>

#include "base/crypto.hpp"
#include "base/encoding.hpp"

namespace pawl::crypto {
namespace {

// OpenSSL fails here only when it is broken or out of memory. To continue would mean to accept or
// refuse money for no reason, so the process ends and the provider redelivers.
void require(bool worked) {
    if (!worked) std::abort();
}

const char* name_of(Hash hash) {
    switch (hash) {
        case Hash::sha1:
            return "SHA1";
        case Hash::sha256:
            return "SHA256";
        case Hash::sha512:
            return "SHA512";
    }
    std::abort();
}

// Looking an algorithm up by name takes longer than hashing a webhook with it.
const EVP_MD* fetched(Hash hash) {
    static const EVP_MD* const all[] = {
        EVP_MD_fetch(nullptr, "SHA1", nullptr),
        EVP_MD_fetch(nullptr, "SHA256", nullptr),
        EVP_MD_fetch(nullptr, "SHA512", nullptr),
    };
    const EVP_MD* found = all[static_cast<std::size_t>(hash)];
    require(found != nullptr);
    return found;
}

struct FreeDigest {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

struct FreeMac {
    void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string digest(Hash hash, MessageChunks parts) {
    thread_local const std::unique_ptr<EVP_MD_CTX, FreeDigest> context(EVP_MD_CTX_new());
    require(EVP_DigestInit_ex2(context.get(), fetched(hash), nullptr) == 1);
    for (const auto part : parts) {
        require(EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1);
    }
    std::string out(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    require(EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size));
    out.resize(size);
    return out;
}

std::string digest(Hash hash, std::string_view message) {
    return digest(hash, MessageChunks(&message, 1));
}

std::string sha256_hex(std::string_view message) {
    return to_hex(digest(Hash::sha256, message));
}

bool equal(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    require(count <= INT_MAX && RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()),
                                           static_cast<int>(count)) == 1);
    return bytes;
}

HmacKey::HmacKey(Hash hash, std::string_view key) {
    static EVP_MAC* const hmac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    require(hmac != nullptr);
    keyed_ = std::shared_ptr<EVP_MAC_CTX>(EVP_MAC_CTX_new(hmac), FreeMac());
    char* name = const_cast<char*>(name_of(hash));  // OpenSSL only reads it
    const OSSL_PARAM settings[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
                                   OSSL_PARAM_construct_end()};
    // An empty key must still be a key: a null pointer would mean "keep the one there is".
    const auto* bytes = key.empty() ? bytes_of("") : bytes_of(key);
    require(EVP_MAC_init(keyed_.get(), bytes, key.size(), settings) == 1);
}

std::string HmacKey::sign(MessageChunks parts) const {
    const std::unique_ptr<EVP_MAC_CTX, FreeMac> context(EVP_MAC_CTX_dup(keyed_.get()));
    require(context != nullptr);
    for (const auto part : parts) {
        require(EVP_MAC_update(context.get(), bytes_of(part), part.size()) == 1);
    }
    std::string out(EVP_MAX_MD_SIZE, '\0');
    std::size_t size = 0;
    auto* bytes = reinterpret_cast<unsigned char*>(out.data());
    require(EVP_MAC_final(context.get(), bytes, &size, out.size()) == 1);
    out.resize(size);
    return out;
}

std::string HmacKey::sign(std::string_view message) const {
    return sign(MessageChunks(&message, 1));
}

}  // namespace pawl::crypto
