#include "jobs/views.hpp"

#include "jobs/sql.hpp"

namespace pawl::jobs {
namespace {

JobRow to_row(const db::Row& row) {
    JobRow job;
    job.key = {row.number(0), row.str(1)};
    job.kind = row.str(2);
    job.state = row.str(3);
    job.correlation_id = row.str(4);
    job.attempts = row.number(5);
    job.run_at = to_rfc3339(row.time(6));
    job.staged_at = to_rfc3339(row.time(7));
    if (const auto done = row.maybe_time(8)) job.done_at = to_rfc3339(*done);
    job.last_error = row.maybe_text(9);
    job.payload = row.str(10);
    return job;
}

}  // namespace

JobPage list_jobs(db::Session& session, const JobFilter& filter) {
    db::Params params;
    params.maybe_text(filter.state).maybe_text(filter.kind).maybe_text(filter.target);
    params.maybe_text(filter.correlation_id);
    db::add(params, filter.staged);
    if (filter.before) {
        params.number(filter.before->id).text(filter.before->target);
    } else {
        params.null().null();
    }
    params.number(filter.limit + 1);
    JobPage page;
    for (const db::Row row : db::Statement::run(session, sql::list_jobs, params)) {
        page.more = static_cast<std::int64_t>(page.rows.size()) == filter.limit;
        if (page.more) break;
        page.rows.push_back(to_row(row));
    }
    return page;
}

std::optional<JobRow> find_job(db::Session& session, const JobKey& key) {
    const auto params = db::Params().number(key.id).text(key.target);
    const db::Rows rows = db::Statement::run(session, sql::find_job, params);
    return rows.empty() ? std::nullopt : std::optional(to_row(rows[0]));
}

}  // namespace pawl::jobs
