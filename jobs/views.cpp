#include "jobs/views.hpp"

#include "jobs/sql.hpp"

namespace pawl::jobs {
namespace {

JobRow to_row(const sql::ListedJobRow& row) {
    JobRow job;
    job.key = {row.id(), std::string(row.target())};
    job.kind = row.kind();
    job.state = row.state();
    job.correlation_id = row.correlation_id();
    job.attempts = row.attempts();
    job.run_at = to_rfc3339(row.run_at());
    job.staged_at = to_rfc3339(row.staged_at());
    if (const auto done = row.done_at()) job.done_at = to_rfc3339(*done);
    job.last_error = row.last_error();
    job.payload = row.payload();
    return job;
}

}  // namespace

JobPage list_jobs(db::Session& session, const JobFilter& filter) {
    sql::ListJobs list{.state = filter.state,
                       .kind = filter.kind,
                       .target = filter.target,
                       .correlation_id = filter.correlation_id,
                       .from_time = filter.staged.from,
                       .to_time = filter.staged.to,
                       .before_id = std::nullopt,
                       .before_target = std::nullopt,
                       .limit_rows = filter.limit + 1};
    if (filter.before) {
        list.before_id = filter.before->id;
        list.before_target = filter.before->target;
    }
    JobPage page;
    for (const auto row : db::Statement::run(session, list)) {
        page.more = static_cast<std::int64_t>(page.rows.size()) == filter.limit;
        if (page.more) break;
        page.rows.push_back(to_row(row));
    }
    return page;
}

std::optional<JobRow> find_job(db::Session& session, const JobKey& key) {
    const auto rows = db::Statement::run(session, sql::FindJob{.id = key.id, .target = key.target});
    return rows.empty() ? std::nullopt : std::optional(to_row(rows[0]));
}

}  // namespace pawl::jobs
