// Codec of webhook_intents.plan: the effects of an unfinished event as JSON. Written only for
// parked and pending events. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "providers/event.hpp"

namespace pawl::intents {

struct Plan {
    std::string books;
    providers::Event event;  // event_id, type, fingerprint and body_sha256 come from the row
};

std::string to_json(const std::string& books, const providers::Event& event);
Result<Plan> plan_from_json(std::string_view text);

}  // namespace pawl::intents
