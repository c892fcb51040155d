// Invariants of the framing for any bytes, and the expected answers of a connection that brings
// them. Shared by the fuzzers; plain functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/http/http_framing.hpp"

namespace pawl::fuzz {

void must(bool holds, const char* what);  // ends the program where it does not

// Aborts where a verdict depends on how the bytes are cut, where a request that was let through
// reads differently to a second, plainer reader, or differently when it is written out again.
void check_framing(std::string_view bytes);

// One final answer that must come.
struct Due {
    http::FramedRequest request;      // where it was let through
    http::FramingRefusal refusal{0};  // else; its status is 0 where it was let through
    // The client announced that it waits before it sends the body: once, before the final answer,
    // it may get 100 Continue.
    bool may_continue = false;

    bool refused() const { return refusal.status != 0; }
    // An answer to HEAD has a length and no body. A refusal has one even there: what is refused has
    // not become a request, and the connection ends behind it.
    bool without_body() const { return !refused() && request.method == "HEAD"; }
};

struct Expected {
    std::vector<Due> answers;
    // Bytes after the last request are not read as a request, and the server closes: a refusal, or
    // a request that was to be the last.
    bool ends = false;
    bool waits_to_continue = false;  // the bytes end where the client waits for `100 Continue`
    bool may_continue = false;       // the unfinished request at the end announced that it waits
};

Expected expected_answers(std::string_view bytes);

// A number that follows from the bytes alone: what a run chooses by it, a rerun chooses again.
std::uint64_t hash_of(std::string_view bytes);

}  // namespace pawl::fuzz
