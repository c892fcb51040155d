// Queries of intents and rejected deliveries for the CLI and the admin API: lists by filter and
// cursor, and the details of one. Reads only; on the caller's session.
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

struct IntentFilter {
    std::optional<std::string> provider, status, outcome, type, account, object;
    std::optional<std::string> text;  // part of an event id, object, account or note
    db::TimeRange received;
    std::int64_t limit = 50;
    std::string cursor;  // where the last page ended; empty: the newest
};

struct IntentRow {
    std::string provider, event_id, type, status, outcome;
    std::optional<std::string> note, account, object, currency, effect_key;
    std::optional<std::int64_t> amount, sequence;
    std::int64_t deliveries = 0, attempts = 0;
    std::string correlation_id, received_at;
    std::optional<std::string> done_at;
};

template <class Row>
struct Page {
    std::vector<Row> rows;
    std::optional<std::string> next;  // the cursor of the next page
};

// Returns an error if the cursor is not from this list.
Result<Page<IntentRow>> list_intents(db::Session& session, const IntentFilter& filter);

// Returns the intent with its deliveries, transfers, staged jobs and timeline, as JSON; nullopt if
// it is not stored.
std::optional<std::string> describe_intent(db::Session& session, const std::string& provider,
                                           const std::string& event_id);

struct RejectionFilter {
    std::optional<std::string> provider, diagnosis;
    db::TimeRange received;
    std::int64_t limit = 50;
    std::string cursor;
};

struct RejectionRow {
    std::int64_t id = 0;
    std::string received_at, provider, diagnosis, method, url;
    std::optional<std::string> remote;
    std::int64_t body_bytes = 0;
    std::string body_sha256;
};

Result<Page<RejectionRow>> list_rejections(db::Session& session, const RejectionFilter& filter);

}  // namespace pawl::intents
