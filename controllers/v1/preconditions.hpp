// What a request asks for in its headers beside its body: which version it has seen (If-Match), and
// how long it would wait (Prefer). Pure.
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
    std::vector<std::int64_t> versions;  // those of ours that it names

    bool holds_for(std::int64_t version) const;
};
// A tag that is weak, or none of ours, matches nothing.
IfMatch if_match_of(const Request& request);

// `Prefer: wait=N` in seconds, capped. What cannot be read is no preference (RFC 7240).
std::chrono::seconds wait_of(const Request& request);

}  // namespace pawl::http
