#include "controllers/admin/workflows.hpp"

#include "controllers/v1/body.hpp"
#include "workflows/engine/views.hpp"

namespace pawl::http {
namespace {

using workflows::RunAct;

void write(json::Writer& out, const workflows::RunRow& row) {
    out.begin_object().member("run_id", row.id).member("workflow", row.workflow);
    out.member("key", row.key).member("lane", row.lane).member("step", row.step);
    out.member("status", row.status).member("note", row.note).member("wake_at", row.wake_at);
    out.member("attempts", row.attempts).member("correlation_id", row.correlation_id);
    out.member("created_at", row.created_at).member("done_at", row.done_at).end_object();
}

std::int64_t run_id_of(const Request& request) {
    return whole_number(request.param("id")).value();
}

Reply to_reply(const Result<workflows::RunChange>& change) {
    if (!change && change.error().kind == ErrorKind::invalid) {
        return problem(400, "bad_instruction", change.error().message);
    }
    if (!change) return problem(409, "not_possible", change.error().message);
    json::Writer out;
    out.begin_object().member("run_id", change->run_id).member("status", change->status);
    out.member("step", change->step);
    if (!change->new_payment.empty()) out.member("new_payment", change->new_payment);
    out.end_object();
    return json_200(out.take());
}

}  // namespace

Reply get_workflows(const Request& request, db::Session& session) {
    workflows::RunFilter filter;
    filter.workflow = request.query_value("workflow");
    filter.status = request.query_value("status");
    filter.text = request.query_value("q");
    const std::int64_t limit = limit_of(request);
    filter.limit = limit + 1;
    filter.created = time_range_of(request);
    filter.before_id = row_number_of(request);
    auto rows = workflows::list_runs(session, filter);
    std::optional<std::string> next;
    if (static_cast<std::int64_t>(rows.size()) > limit) {
        rows.pop_back();
        next = std::to_string(rows.back().id);
    }
    return list_reply(
        [&rows](json::Writer& out) {
            for (const auto& row : rows) write(out, row);
        },
        next);
}

Reply get_workflow(const Request& request, db::Session& session) {
    auto described = workflows::describe_run(session, run_id_of(request));
    if (!described) {
        return problem(404, "unknown_workflow", workflows::unknown_run(run_id_of(request)).message);
    }
    return json_200(std::move(*described));
}

SessionHandler act_on_workflow(RunAct act, const Clock& clock, std::function<void()> wake) {
    return [act, &clock, wake = std::move(wake)](const Request& request,
                                                 db::Session& session) -> Reply {
        const Body body(request.body);
        const workflows::RunInstruction instruction{act,
                                                    run_id_of(request),
                                                    request.principal->name,
                                                    reason_of(request),
                                                    body.text("outcome").value_or(""),
                                                    body.text("reference").value_or(""),
                                                    body.number("amount"),
                                                    body.is_true("force")};
        const auto change = workflows::apply_operator_action(session, instruction, clock.now());
        wake();
        return to_reply(change);
    };
}

}  // namespace pawl::http
