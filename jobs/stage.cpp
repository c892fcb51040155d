#include "jobs/stage.hpp"

#include "jobs/sql.hpp"

namespace pawl::jobs {

void stage(db::Transaction& transaction, const std::vector<StagedJob>& jobs, Time now) {
    if (jobs.empty()) return;
    std::vector<std::string> kinds, payloads, correlations;
    for (const StagedJob& job : jobs) {
        kinds.push_back(job.kind);
        payloads.push_back(job.payload);
        correlations.push_back(job.correlation_id.str());
    }
    transaction.run(sql::stage_jobs,
                    db::Params().texts(kinds).texts(payloads).texts(correlations).time(now));
}

}  // namespace pawl::jobs
