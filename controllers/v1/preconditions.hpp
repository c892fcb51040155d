// Headers that qualify a request: the version that the client has seen (If-Match), and the time
// that it would wait (Prefer). Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controllers/http/http.hpp"

namespace pawl::http {

constexpr std::chrono::seconds wait_default{10};
// Longer ones hold a connection that proxies have given up.
constexpr std::chrono::seconds wait_max{60};

std::string etag_of(std::int64_t version);  // "3", with its quotes: a strong one

struct IfMatch {
    bool there = false;
    bool any = false;                    // *
    std::vector<std::int64_t> versions;  // in the form of Pawl's own tags

    bool holds_for(std::int64_t version) const;
};
// A weak tag, or one that Pawl did not make, matches no version.
IfMatch if_match_of(const Request& request);

// Returns `Prefer: wait=N` in seconds, capped; the default if it is invalid (RFC 7240).
std::chrono::seconds wait_of(const Request& request);

}  // namespace pawl::http
