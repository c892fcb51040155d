#include "jobs/operating.hpp"

#include <fmt/core.h>

#include "jobs/sql.hpp"

namespace pawl::jobs {

Result<ActedOn> act(db::Transaction& transaction, const JobKey& key, Act act,
                    const std::string& reason, Time now) {
    const auto which = db::Params().number(key.id).text(key.target);
    db::Rows rows = transaction.run(sql::lock_job, which);
    if (rows.empty()) rows = transaction.run(sql::lock_done_job, which);
    if (rows.empty()) return refused(fmt::format("there is no job {}", to_text(key)));
    const std::string before = rows[0].str(0);
    const bool over = before == "done" || (before == "discarded" && act == Act::discard);
    if (over) return refused(fmt::format("the job is {}; nothing was changed", before));
    // It would run a second time while the first goes on.
    if (before == "running" && act == Act::retry) {
        return refused("the job is running; retry it when it has failed, or discard it");
    }
    const auto params = db::Params().number(key.id).text(key.target).time(now).text(reason);
    transaction.run(act == Act::retry ? sql::retry_job : sql::discard_job, params);
    return ActedOn{before, act == Act::retry ? "ready" : "discarded"};
}

}  // namespace pawl::jobs
