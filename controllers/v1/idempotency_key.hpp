// Parser of the Idempotency-Key header, strict, and the fingerprint that distinguishes a retry from
// another request. Pure.
#pragma once

#include <string>

#include "base/result.hpp"
#include "controllers/http/http.hpp"

namespace pawl::http {

enum class KeyTrouble { none, missing, malformed };

struct IdempotencyKey {
    std::string text;  // 1 to 255 visible ASCII characters
    KeyTrouble trouble = KeyTrouble::none;
    std::string detail;  // the error as a sentence
};

// A structured-field string ("abc") and the bare value (abc) are the same key.
IdempotencyKey idempotency_key_of(const Request& request);

// 32 bytes: SHA-256 over method, target, content type and the body's bytes as they came.
std::string fingerprint_of(const Request& request);

}  // namespace pawl::http
