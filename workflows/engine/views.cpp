#include "workflows/engine/views.hpp"

#include "base/clock.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {
namespace {

std::optional<std::string> text_of(const std::optional<Time>& time) {
    return time ? std::optional(to_rfc3339(*time)) : std::nullopt;
}

}  // namespace

std::vector<RunRow> list_runs(db::Session& session, const RunFilter& filter) {
    const sql::ListRuns list{.workflow = filter.workflow,
                             .status = filter.status,
                             .text = filter.text,
                             .from_time = filter.created.from,
                             .to_time = filter.created.to,
                             .before_id = filter.before_id,
                             .limit_rows = filter.limit};
    std::vector<RunRow> rows;
    for (const auto row : db::Statement::run(session, list)) {
        rows.push_back({.id = row.run_id(),
                        .workflow = std::string(row.workflow()),
                        .key = std::string(row.key()),
                        .lane = std::string(row.lane()),
                        .step = std::string(row.step()),
                        .status = std::string(row.status()),
                        .note = std::optional<std::string>(row.note()),
                        .wake_at = text_of(row.wake_at()),
                        .attempts = row.attempts(),
                        .correlation_id = std::string(row.correlation_id()),
                        .created_at = to_rfc3339(row.created_at()),
                        .done_at = text_of(row.done_at())});
    }
    return rows;
}

std::optional<std::string> describe_run(db::Session& session, std::int64_t run_id) {
    const auto rows = db::Statement::run(session, sql::DescribeRun{.run_id = run_id});
    return rows.empty() ? std::nullopt : std::optional(std::string(rows[0].described()));
}

}  // namespace pawl::workflows
