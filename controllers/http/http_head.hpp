// What a complete request head says about the bytes that follow it. Pure and strict: whatever two
// readers could understand in two ways is refused, because that is how requests are smuggled.
// Free functions over values; any thread.
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

// Either the plan, or in `refusal` the reason why there is none.
std::optional<BodyPlan> plan_body(const FramedRequest& head, const FramingLimits& limits,
                                  FramingRefusal& refusal);

// Takes `http://host` off an absolute form. False: not a target that a server may be asked for.
bool to_origin_form(FramedRequest& head);

bool is_token_char(char c);
bool same_text(std::string_view a, std::string_view b);  // ASCII letters compared without case

}  // namespace pawl::http
