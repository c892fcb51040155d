// Queries about runs; reads only, on the caller's session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/session.hpp"
#include "db/time_range.hpp"

namespace pawl::workflows {

struct RunRow {
    std::int64_t id = 0;
    std::string workflow, key, lane, step, status;
    std::optional<std::string> note, wake_at;
    std::int64_t attempts = 0;
    std::string correlation_id, created_at;
    std::optional<std::string> done_at;
};

struct RunFilter {
    std::optional<std::string> workflow, status, text;
    db::TimeRange created;
    std::int64_t before_id = 0;
    std::int64_t limit = 50;
};

std::vector<RunRow> list_runs(db::Session& session, const RunFilter& filter);

// Returns one JSON object with steps, calls, signals and payment; nullopt if the run is unknown.
std::optional<std::string> describe_run(db::Session& session, std::int64_t run_id);

}  // namespace pawl::workflows
