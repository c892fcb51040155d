// What waits for an operator: one item for each cause, with the number of rows that it holds up and
// the oldest of them. Reads only; on the caller's session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "db/session.hpp"
#include "db/time_range.hpp"

namespace pawl::intents {

// By name, what is configured.
struct Configured {
    std::vector<std::string> gateways, subscribers;
};

struct AttentionFilter {
    Time now;
    Configured configured;
    db::TimeRange since;
    std::int64_t limit = 50;
};

struct AttentionItem {
    std::string kind;   // quarantined, parked, gap, needs_review, payment, authorization,
                        // gateway_gone, dead_jobs, dead_subscriber
    std::string scope;  // provider, books and scope, workflow, gateway, or job kind and target
    std::optional<std::string> reason, type;
    std::string example;  // id of the oldest
    std::int64_t count = 0;
    std::string since;   // of the oldest
    std::string remedy;  // what an operator can do
};

std::vector<AttentionItem> list_attention(db::Session& session, const AttentionFilter& filter);

}  // namespace pawl::intents
