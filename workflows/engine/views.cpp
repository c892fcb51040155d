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
    db::Params params;
    params.maybe_text(filter.workflow).maybe_text(filter.status).maybe_text(filter.text);
    db::add(params, filter.created);
    params.number(filter.before_id).number(filter.limit);
    std::vector<RunRow> rows;
    for (const db::Row row : db::Statement::run(session, sql::list_runs, params)) {
        rows.push_back({row.number(0), row.str(1), row.str(2), row.str(3), row.str(4), row.str(5),
                        row.maybe_text(6), text_of(row.maybe_time(7)), row.number(8), row.str(9),
                        to_rfc3339(row.time(10)), text_of(row.maybe_time(11))});
    }
    return rows;
}

std::optional<std::string> describe_run(db::Session& session, std::int64_t run_id) {
    const auto rows = db::Statement::run(session, sql::describe_run, db::Params().number(run_id));
    return rows.empty() ? std::nullopt : std::optional(rows[0].str(0));
}

}  // namespace pawl::workflows
