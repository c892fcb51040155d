// List of the causes that need operator action: one item each, with the number of rows that it
// blocks and the oldest of them. Reads only; on the caller's session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "db/session.hpp"
#include "db/time_range.hpp"

namespace pawl::intents {

// By name, what is configured.
struct Configured {
    std::vector<std::string> gateways, subscribers;
    bool known = true;  // false: no row is listed because its gateway or subscriber is missing
};

struct AttentionFilter {
    Time now;
    Configured configured;
    db::TimeRange since;
    std::string cursor{};  // where the page before ended; empty: from the beginning
    std::int64_t limit = 50;
};

struct AttentionItem {
    std::string kind;   // quarantined, paused, recovery, parked, gap, needs_review, payment,
                        // authorization, gateway_gone, dead_jobs, dead_subscriber, stale (a lower
                        // total), forced (an unconfirmed call), overpaid (an order)
    std::string scope;  // provider, books and scope, workflow, gateway, or job kind and target
    std::optional<std::string> reason, type;
    // Id of the oldest; empty: none (a paused provider without events, a recovery).
    std::string example;
    std::int64_t count = 0;
    std::string since;   // time of the oldest
    std::string remedy;  // what an operator can do
};

struct AttentionPage {
    std::vector<AttentionItem> items;
    std::optional<std::string> next;  // its cursor; nullopt on the last page
};

// Fails with ErrorKind::invalid if the cursor was not made by this list.
Result<AttentionPage> list_attention(db::Session& session, const AttentionFilter& filter);

}  // namespace pawl::intents
