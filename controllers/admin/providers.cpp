#include "controllers/admin/providers.hpp"

#include "access/audit.hpp"
#include "access/pauses.hpp"

namespace pawl::http {
namespace {

using Change = bool (*)(db::Session&, const std::string&, const std::string&, const std::string&);

// A provider that was taken out of the configuration while it was paused can still be resumed.
SessionHandler change_provider(std::set<std::string, std::less<>> names, Change change,
                               bool paused) {
    return [names = std::move(names), change, paused](const Request& request,
                                                      db::Session& session) -> Reply {
        const std::string& provider = request.param("provider");
        const bool known = names.contains(provider);
        const auto unknown = [&] {
            return problem(404, "unknown_provider", "no provider of this name is configured");
        };
        if (!known && paused) return unknown();
        const bool changed = change(session, provider, request.principal->name, reason_of(request));
        if (!known && !changed) return unknown();
        json::Writer out;
        out.begin_object().member("provider", provider).member("paused", paused);
        out.member("changed", changed).end_object();
        return json_200(out.take());
    };
}

}  // namespace

SessionHandler pause_provider(std::set<std::string, std::less<>> names) {
    return change_provider(std::move(names), access::pause, true);
}

SessionHandler resume_provider(std::set<std::string, std::less<>> names) {
    return change_provider(std::move(names), access::resume, false);
}

Reply get_audit(const Request& request, db::Session& session) {
    const std::int64_t limit = limit_of(request);
    auto rows =
        access::list_audit(session, time_range_of(request), row_number_of(request), limit + 1);
    std::optional<std::string> next;
    if (static_cast<std::int64_t>(rows.size()) > limit) {
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
