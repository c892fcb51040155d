// What an unfinished event is going to do, as JSON for webhook_intents.plan, and back. Written only
// for events that wait. Pure.
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
