// Queries about jobs; reads only. On the caller's session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "db/session.hpp"
#include "db/time_range.hpp"
#include "jobs/job.hpp"

namespace pawl::jobs {

struct JobFilter {
    std::optional<std::string> state;  // ready, running, done, dead, discarded
    std::optional<std::string> kind;
    std::optional<std::string> target;
    std::optional<std::string> correlation_id;
    db::TimeRange staged;
    std::optional<JobKey> before;  // the last one of the page before
    std::int64_t limit = 50;
};

struct JobRow {
    JobKey key;
    std::string kind;
    std::string state;
    std::string correlation_id;
    std::int64_t attempts = 0;
    std::string run_at;
    std::string staged_at;
    std::optional<std::string> done_at;
    std::optional<std::string> last_error;
    std::string payload;  // JSON
};

struct JobPage {
    std::vector<JobRow> rows;
    bool more = false;
};

JobPage list_jobs(db::Session& session, const JobFilter& filter);  // newest first
std::optional<JobRow> find_job(db::Session& session, const JobKey& key);

}  // namespace pawl::jobs
