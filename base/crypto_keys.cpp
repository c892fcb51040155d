#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <climits>

#include "base/crypto.hpp"

namespace pawl::crypto {
namespace {

// Minimum size of an RSA key in bits; smaller keys are refused as too weak.
constexpr int rsa_bits_min = 2048;
constexpr std::size_t ed25519_key_bytes = 32;
constexpr std::size_t ed25519_signature_bytes = 64;

struct FreeKey {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeDigest {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
struct FreeBio {
    void operator()(BIO* bio) const { BIO_free(bio); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeDigest>;
using Bio = std::unique_ptr<BIO, FreeBio>;

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

Bio reader(std::string_view text) {
    return Bio(
        BIO_new_mem_buf(text.data(), text.size() > INT_MAX ? 0 : static_cast<int>(text.size())));
}

bool is(const EVP_PKEY* key, const char* algorithm) {
    return EVP_PKEY_is_a(key, algorithm) == 1;
}

// Ed25519 brings its own hash, RSA signs a SHA-256.
const EVP_MD* hash_for(const EVP_PKEY* key) {
    return is(key, "RSA") ? EVP_sha256() : nullptr;
}

Result<std::shared_ptr<EVP_PKEY>> judged(EVP_PKEY* read, const char* what) {
    std::shared_ptr<EVP_PKEY> key(read, FreeKey());
    ERR_clear_error();  // or OpenSSL's queue of the thread would grow with each bad key
    if (!key) return invalid(std::string("not a PEM of a ") + what + " key");
    if (is(key.get(), "ED25519")) return key;
    if (!is(key.get(), "RSA")) return invalid("the key is neither RSA nor Ed25519");
    if (EVP_PKEY_get_bits(key.get()) < rsa_bits_min) {
        return invalid("the RSA key has fewer than 2048 bits");
    }
    return key;
}

std::string text_of(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(size)};
}

// Without it OpenSSL asks the terminal for the pass phrase of an encrypted key.
int no_pass_phrase(char*, int, int, void*) {
    return -1;
}

}  // namespace

Result<PublicKey> PublicKey::from_pem(std::string_view pem) {
    const Bio bio = reader(pem);
    auto key = judged(PEM_read_bio_PUBKEY(bio.get(), nullptr, no_pass_phrase, nullptr), "public");
    if (!key) return key.error();
    return PublicKey(std::move(*key));
}

Result<PublicKey> PublicKey::ed25519(std::string_view raw32) {
    if (raw32.size() != ed25519_key_bytes) return invalid("an Ed25519 key has 32 bytes");
    auto* key =
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(raw32), raw32.size());
    ERR_clear_error();
    if (key == nullptr) return invalid("not an Ed25519 public key");
    return PublicKey(std::shared_ptr<EVP_PKEY>(key, FreeKey()));
}

bool PublicKey::is_rsa() const {
    return is(key_.get(), "RSA");
}

bool PublicKey::verify(std::string_view message, std::string_view signature) const {
    if (!is_rsa() && signature.size() != ed25519_signature_bytes) return false;
    const Context context(EVP_MD_CTX_new());
    auto* key = key_.get();
    const bool good =
        context && EVP_DigestVerifyInit(context.get(), nullptr, hash_for(key), nullptr, key) == 1 &&
        EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(message),
                         message.size()) == 1;
    if (!good) ERR_clear_error();
    return good;
}

Result<PrivateKey> PrivateKey::from_pem(std::string_view pem) {
    const Bio bio = reader(pem);
    auto key =
        judged(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_pass_phrase, nullptr), "private");
    if (!key) return key.error();
    return PrivateKey(std::move(*key));
}

Result<PrivateKey> PrivateKey::ed25519(std::string_view seed32) {
    if (seed32.size() != ed25519_key_bytes) return invalid("an Ed25519 seed has 32 bytes");
    auto* key =
        EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes_of(seed32), seed32.size());
    if (key == nullptr) return invalid("OpenSSL made no key of this seed");
    return PrivateKey(std::shared_ptr<EVP_PKEY>(key, FreeKey()));
}

Result<PrivateKey> PrivateKey::generate_rsa(unsigned bits) {
    auto key = judged(EVP_RSA_gen(bits), "generated");
    if (!key) return key.error();
    return PrivateKey(std::move(*key));
}

PublicKey PrivateKey::public_key() const {
    return PublicKey(key_);
}

std::string PrivateKey::public_raw() const {
    std::string raw(ed25519_key_bytes, '\0');
    std::size_t size = raw.size();
    auto* bytes = reinterpret_cast<unsigned char*>(raw.data());
    if (EVP_PKEY_get_raw_public_key(key_.get(), bytes, &size) != 1) {
        ERR_clear_error();
        return {};
    }
    return raw;
}

std::string PrivateKey::public_pem() const {
    const Bio bio(BIO_new(BIO_s_mem()));
    if (!bio || PEM_write_bio_PUBKEY(bio.get(), key_.get()) != 1) return {};
    return text_of(bio.get());
}

std::string PrivateKey::sign(std::string_view message) const {
    const Context context(EVP_MD_CTX_new());
    auto* key = key_.get();
    std::size_t size = 0;
    if (!context || EVP_DigestSignInit(context.get(), nullptr, hash_for(key), nullptr, key) != 1 ||
        EVP_DigestSign(context.get(), nullptr, &size, bytes_of(message), message.size()) != 1) {
        return {};
    }
    std::string signature(size, '\0');
    auto* bytes = reinterpret_cast<unsigned char*>(signature.data());
    if (EVP_DigestSign(context.get(), bytes, &size, bytes_of(message), message.size()) != 1)
        return {};
    signature.resize(size);
    return signature;
}

}  // namespace pawl::crypto
