#include "controllers/admin/providers.hpp"

#include <charconv>

#include "access/audit.hpp"
#include "access/pauses.hpp"

namespace pawl::http {
namespace {

using Change = bool (*)(db::Session&, const std::string&, const std::string&, const std::string&);

Reply change_provider(const Request& request, db::Session& session, Change change, bool paused) {
    const auto reason = reason_of(request);
    if (!reason) return problem(400, "reason_missing", reason.error().message);
    const std::string& provider = request.param("provider");
    const bool changed = change(session, provider, request.principal->name, *reason);
    json::Writer out;
    out.begin_object().member("provider", provider).member("paused", paused);
    out.member("changed", changed).end_object();
    Reply reply;
    reply.body = out.take();
    return reply;
}

// 0: from the newest. Nothing: no cursor of ours.
std::optional<std::int64_t> place_of(const std::optional<std::string>& cursor) {
    std::int64_t id = 0;
    if (!cursor) return id;
    const auto [end, error] = std::from_chars(cursor->data(), cursor->data() + cursor->size(), id);
    const bool good = error == std::errc{} && end == cursor->data() + cursor->size() && id > 0;
    return good ? std::optional(id) : std::nullopt;
}

}  // namespace

Reply pause_provider(const Request& request, db::Session& session) {
    return change_provider(request, session, access::pause, true);
}

Reply resume_provider(const Request& request, db::Session& session) {
    return change_provider(request, session, access::resume, false);
}

Reply get_audit(const Request& request, db::Session& session) {
    if (auto wrong = unknown_parameter(request, {"from", "to", "limit", "cursor"})) {
        return *wrong;
    }
    const auto limit = limit_of(request);
    if (!limit) return problem(400, "bad_limit", "limit is a number from 1 to 500");
    const auto range = time_range_of(request);
    if (!range) return problem(400, "bad_time", range.error().message);
    const auto before = place_of(request.query_value("cursor"));
    if (!before) return problem(400, "bad_cursor", "cursor is the `next` of the page before");
    auto rows = access::list_audit(session, *range, *before, *limit + 1);
    std::optional<std::string> next;
    if (static_cast<std::int64_t>(rows.size()) > *limit) {
        rows.pop_back();
        next = std::to_string(rows.back().id);
    }
    return list_reply(
        [&rows](json::Writer& out) {
            for (const access::AuditRow& row : rows) {
                out.begin_object().member("id", row.id).member("at", row.at);
                out.member("principal", row.entry.principal).member("action", row.entry.action);
                out.member("subject", row.entry.subject).member("reason", row.entry.reason);
                out.key("details").raw(row.entry.details).end_object();
            }
        },
        next);
}

}  // namespace pawl::http
