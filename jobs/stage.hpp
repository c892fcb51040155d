// Writes jobs with the fact that caused them, inside the caller's transaction: told of if and only
// if it happened. Moving them on is the enqueuer's work.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "db/session.hpp"

namespace pawl::jobs {

struct StagedJob {
    std::string kind;
    std::string payload;  // JSON
    CorrelationId correlation_id;
};

void stage(db::Transaction& transaction, const std::vector<StagedJob>& jobs, Time now);

}  // namespace pawl::jobs
