// Writes jobs with the fact that caused them, inside the caller's transaction: a job exists if and
// only if its cause committed (transactional outbox). The enqueuer moves them to the queue.
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
