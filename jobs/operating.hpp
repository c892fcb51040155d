// An operator's actions on one job. Inside the caller's transaction, which also writes the audit
// row. Increments the fencing token: a worker running the job can no longer write.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "db/session.hpp"
#include "jobs/job.hpp"

namespace pawl::jobs {

enum class Act {
    retry,    // now, with all its attempts before it
    discard,  // never
};

struct ActedOn {
    std::string before;  // state
    std::string after;
};

// `refused`: there is no such job, it is over already, or it runs and need not be retried.
Result<ActedOn> act(db::Transaction& transaction, const JobKey& key, Act act,
                    const std::string& reason, Time now);

}  // namespace pawl::jobs
