// Wraps OpenSSL: hashes, HMAC, RSA and Ed25519, comparison in constant time. Keys are prepared
// once, are immutable and cheap to copy, and may be used by all threads at once. Raw bytes in and
// out; base/encoding turns them into text.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

struct evp_mac_ctx_st;  // OpenSSL's, so that its headers stay behind this one
struct evp_pkey_st;

namespace pawl::crypto {

enum class Hash { sha1, sha256, sha512 };

// Messages come in parts, so that "{ts}.{body}" is signed without copying the body.
using MessageChunks = std::span<const std::string_view>;

std::string digest(Hash hash, MessageChunks parts);
std::string digest(Hash hash, std::string_view message);
std::string sha256_hex(std::string_view message);

// Constant-time comparison. Lengths are not secret.
bool equal(std::string_view a, std::string_view b);

std::string random_bytes(std::size_t count);  // from OpenSSL's generator; aborts if it has none

class HmacKey {
  public:
    HmacKey(Hash hash, std::string_view key);
    std::string sign(MessageChunks parts) const;
    std::string sign(std::string_view message) const;

  private:
    std::shared_ptr<evp_mac_ctx_st> keyed_;  // never fed: each message gets a duplicate
};

class PublicKey {
  public:
    static Result<PublicKey> from_pem(std::string_view pem);  // RSA of 2048 bits or more, Ed25519
    static Result<PublicKey> ed25519(std::string_view raw32);
    bool is_rsa() const;
    // RSA: PKCS#1 v1.5 over SHA-256. Ed25519: the message itself.
    bool verify(std::string_view message, std::string_view signature) const;

  private:
    friend class PrivateKey;
    explicit PublicKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
    std::shared_ptr<evp_pkey_st> key_;
};

class PrivateKey {
  public:
    static Result<PrivateKey> from_pem(std::string_view pem);
    static Result<PrivateKey> ed25519(std::string_view seed32);
    static Result<PrivateKey> generate_rsa(unsigned bits);  // slow: for tests and demonstrations
    PublicKey public_key() const;
    std::string public_raw() const;  // Ed25519's 32 bytes; empty for RSA
    std::string public_pem() const;
    std::string sign(std::string_view message) const;

  private:
    explicit PrivateKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
    std::shared_ptr<evp_pkey_st> key_;
};

}  // namespace pawl::crypto
