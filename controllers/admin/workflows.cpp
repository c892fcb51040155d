#include "controllers/admin/workflows.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "workflows/engine/views.hpp"
#include "workflows/operating.hpp"

namespace pawl::http {
namespace {

using workflows::RunAct;

constexpr std::array<std::string_view, 4> statuses = {"running", "done", "needs_review",
                                                      "canceled"};

std::optional<std::int64_t> number_of(std::string_view text) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<RunAct> act_of(std::string_view word) {
    if (word == "resume") return RunAct::resume;
    if (word == "cancel") return RunAct::cancel;
    if (word == "new-attempt") return RunAct::new_attempt;
    if (word == "resolve") return RunAct::resolve;
    return std::nullopt;
}

void write(json::Writer& out, const workflows::RunRow& row) {
    out.begin_object().member("run_id", row.id).member("workflow", row.workflow);
    out.member("key", row.key).member("lane", row.lane).member("step", row.step);
    out.member("status", row.status).member("note", row.note).member("wake_at", row.wake_at);
    out.member("attempts", row.attempts).member("correlation_id", row.correlation_id);
    out.member("created_at", row.created_at).member("done_at", row.done_at).end_object();
}

std::string text_in(const json::Document& body, const char* pointer) {
    const auto value = body.root().at(json::Pointer::parse(pointer).value());
    return value ? value->text().value_or("") : "";
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
    Reply reply;
    reply.body = out.take();
    return reply;
}

}  // namespace

Reply get_workflows(const Request& request, db::Session& session) {
    if (auto wrong = unknown_parameter(
            request, {"workflow", "status", "q", "from", "to", "limit", "cursor"})) {
        return *wrong;
    }
    if (auto wrong = unknown_value(request, "status", statuses)) return *wrong;
    workflows::RunFilter filter;
    filter.workflow = request.query_value("workflow");
    filter.status = request.query_value("status");
    filter.text = request.query_value("q");
    const auto limit = limit_of(request);
    if (!limit) return problem(400, "bad_limit", "limit is a number from 1 to 500");
    filter.limit = *limit + 1;
    const auto range = time_range_of(request);
    if (!range) return problem(400, "bad_time", range.error().message);
    filter.created = *range;
    if (const auto cursor = request.query_value("cursor")) {
        const auto before = number_of(*cursor);
        if (!before) return problem(400, "bad_cursor", "cursor is the `next` of the page before");
        filter.before_id = *before;
    }
    auto rows = workflows::list_runs(session, filter);
    std::optional<std::string> next;
    if (static_cast<std::int64_t>(rows.size()) > *limit) {
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
    const auto id = number_of(request.param("id"));
    auto described = id ? workflows::describe_run(session, *id) : std::nullopt;
    if (!described) return problem(404, "unknown_workflow", "there is no run of this number");
    Reply reply;
    reply.body = std::move(*described);
    return reply;
}

SessionHandler act_on_workflow(const Clock& clock, std::function<void()> wake) {
    return [&clock, wake = std::move(wake)](const Request& request, db::Session& session) -> Reply {
        const auto id = number_of(request.param("id"));
        const auto act = act_of(request.param("act"));
        if (!id || !act) {
            return problem(404, "not_found",
                           "a run can be told to resume, cancel, new-attempt or resolve");
        }
        const auto reason = reason_of(request);
        if (!reason) return problem(400, "reason_missing", reason.error().message);
        const auto body = json::Document::parse(request.body);  // reason_of has read it before
        workflows::RunInstruction instruction{*act,
                                              *id,
                                              request.principal->name,
                                              *reason,
                                              text_in(*body, "/outcome"),
                                              text_in(*body, "/reference"),
                                              std::nullopt,
                                              text_in(*body, "/force") == "true"};
        const std::string amount = text_in(*body, "/amount");
        instruction.amount = number_of(amount);
        if (!amount.empty() && (!instruction.amount || *instruction.amount <= 0)) {
            return problem(400, "bad_amount", "amount is a whole number of minor units above 0");
        }
        const auto change = workflows::apply_operator_action(session, instruction, clock.now());
        wake();
        return to_reply(change);
    };
}

}  // namespace pawl::http
