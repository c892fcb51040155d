#include "controllers/admin/jobs.hpp"

#include "access/audit.hpp"
#include "jobs/views.hpp"

namespace pawl::http {
namespace {

void write(json::Writer& out, const jobs::JobRow& row) {
    out.begin_object().member("id", jobs::to_text(row.key)).member("kind", row.kind);
    out.member("target", row.key.target).member("state", row.state);
    out.member("attempts", row.attempts).member("run_at", row.run_at);
    out.member("staged_at", row.staged_at).member("done_at", row.done_at);
    out.member("last_error", row.last_error).member("correlation_id", row.correlation_id);
    out.key("payload").raw(row.payload).end_object();
}

// As it was answered before the answer to COMMIT was lost.
Result<jobs::ActedOn> done_before(db::Transaction& transaction, const std::string& subject,
                                  const std::string& act_id) {
    const auto details = access::find_act(transaction, subject, act_id);
    if (!details) return refused("nothing was done");
    return jobs::ActedOn{access::detail(*details, "before"), access::detail(*details, "after")};
}

Reply unknown_job() {
    return problem(404, "unknown_job",
                   "job: not found, or deleted after its end; `pawl jobs list` shows the others");
}

}  // namespace

Reply get_jobs(const Request& request, db::Session& session) {
    jobs::JobFilter filter;
    filter.state = request.query_value("state");
    filter.kind = request.query_value("kind");
    filter.target = request.query_value("target");
    filter.correlation_id = request.query_value("correlation_id");
    filter.limit = limit_of(request);
    filter.staged = time_range_of(request);
    if (const auto cursor = request.query_value("cursor")) {
        filter.before = jobs::parse_job_key(*cursor);
    }
    const jobs::JobPage page = jobs::list_jobs(session, filter);
    return list_reply(
        [&page](json::Writer& out) {
            for (const jobs::JobRow& row : page.rows) write(out, row);
        },
        page.more ? std::optional(jobs::to_text(page.rows.back().key)) : std::nullopt);
}

Reply get_job(const Request& request, db::Session& session) {
    const auto key = jobs::parse_job_key(request.param("id"));
    const auto row = key ? jobs::find_job(session, *key) : std::nullopt;
    if (!row) return unknown_job();
    json::Writer out;
    write(out, *row);
    return json_200(out.take());
}

SessionHandler act_on_job(jobs::Act act, const Clock& clock, std::function<void()> on_change) {
    return [act, &clock, on_change = std::move(on_change)](const Request& request,
                                                           db::Session& session) -> Reply {
        const std::string reason = reason_of(request);
        const auto key = jobs::parse_job_key(request.param("id"));
        if (!key || !jobs::find_job(session, *key)) return unknown_job();
        Result<jobs::ActedOn> acted = refused("nothing was done");
        const std::string act_id = access::new_act_id();
        const std::string subject = jobs::to_text(*key);
        db::in_transaction(session, [&](db::Transaction& transaction) {
            acted = done_before(transaction, subject, act_id);
            if (acted) return;
            acted = jobs::act(transaction, *key, act, reason, clock.now());
            if (!acted) {  // its own COMMIT may have landed after it was looked for
                if (auto done = done_before(transaction, subject, act_id)) acted = std::move(done);
                return;
            }
            json::Writer details;
            details.begin_object().member("before", acted->before).member("after", acted->after);
            details.member("act_id", act_id).end_object();
            access::record(transaction, {request.principal->name,
                                         act == jobs::Act::retry ? "job.retry" : "job.discard",
                                         subject, reason, details.take()});
        });
        if (!acted) return problem(409, "not_possible", acted.error().message);
        on_change();
        json::Writer out;
        out.begin_object().member("id", jobs::to_text(*key)).member("state", acted->after);
        out.end_object();
        return json_200(out.take());
    };
}

}  // namespace pawl::http
