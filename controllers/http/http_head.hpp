// Framing of the bytes after a complete request head. Pure and strict: a head that two readers
// could understand in two ways is refused, because that is how requests are smuggled. Free
// functions over values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "controllers/http/http_framing.hpp"

namespace pawl::http {

struct BodyPlan {
    bool chunked = false;
    std::uint64_t length = 0;
    bool keep_alive = true;
    bool expects_continue = false;
};

// Either the plan, or the reason in `refusal`.
std::optional<BodyPlan> plan_body(const FramedRequest& head, const FramingLimits& limits,
                                  FramingRefusal& refusal);

// Takes `http://host` off an absolute form. Returns false if it is not a target for a server.
bool to_origin_form(FramedRequest& head);

bool is_token_char(char c);

}  // namespace pawl::http
