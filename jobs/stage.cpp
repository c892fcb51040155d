#include "jobs/stage.hpp"

#include "jobs/sql.hpp"

namespace pawl::jobs {

void stage(db::Transaction& transaction, const std::vector<StagedJob>& jobs, Time now) {
    if (jobs.empty()) return;
    db::Texts kinds, payloads, correlations;
    for (const StagedJob& job : jobs) {
        kinds.add(job.kind);
        payloads.add(job.payload);
        correlations.add(job.correlation_id.str());
    }
    transaction.run(sql::StageJobs{.kind = std::move(kinds),
                                   .payload = std::move(payloads),
                                   .correlation_id = std::move(correlations),
                                   .now = now});
}

}  // namespace pawl::jobs
