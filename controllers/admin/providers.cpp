#include "controllers/admin/providers.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "access/audit.hpp"
#include "access/pauses.hpp"
#include "intents/queries/cursor.hpp"

namespace pawl::http {
namespace {

using Change = bool (*)(db::Session&, const std::string&, const std::string&, const std::string&);

// A provider that was taken out of the configuration while it was paused can still be resumed.
SessionHandler change_provider(ProviderNames names, Change change, bool paused) {
    return [names = std::move(names), change, paused](const Request& request,
                                                      db::Session& session) -> Reply {
        const std::string& provider = request.param("provider");
        const bool known = names.contains(provider);
        if (!known && paused) return unknown_provider(provider);
        const bool changed = change(session, provider, request.principal->name, reason_of(request));
        if (!known && !changed) return unknown_provider(provider);
        json::Writer out;
        out.begin_object().member("provider", provider).member("paused", paused);
        out.member("changed", changed).end_object();
        return json_200(out.take());
    };
}

// By name: the providers that are configured, and those that are paused.
std::map<std::string, std::optional<access::Pause>> by_name(const ProviderNames& names,
                                                            db::Session& session) {
    std::map<std::string, std::optional<access::Pause>> all;
    for (const std::string& name : names) all[name] = std::nullopt;
    for (access::Pause& pause : access::list_pauses(session)) {
        std::string name = pause.provider;
        all[std::move(name)] = std::move(pause);
    }
    return all;
}

void write_pause(json::Writer& out, const std::optional<access::Pause>& pause) {
    const auto text = [&pause](std::string access::Pause::*member) {
        return pause ? std::optional(*pause.*member) : std::nullopt;
    };
    out.member("paused", pause.has_value());
    out.member("paused_at", pause ? std::optional(to_rfc3339(pause->paused_at)) : std::nullopt);
    out.member("paused_by", text(&access::Pause::paused_by));
    out.member("reason", text(&access::Pause::reason));
    out.member("waiting", pause ? pause->waiting : std::int64_t{0});
}

}  // namespace

Reply unknown_provider(const std::string& name) {
    return problem(
        404, "unknown_provider",
        "provider " + name + ": unknown, or switched off; `pawl providers list` shows the names");
}

SessionHandler get_providers(ProviderNames names, ProviderNames enabled) {
    return [names = std::move(names), enabled = std::move(enabled)](const Request& request,
                                                                    db::Session& session) -> Reply {
        const auto all = by_name(names, session);
        auto from = all.begin();
        if (const auto cursor = request.query_value("cursor")) {
            const auto parts = intents::read_cursor(*cursor, 1);
            if (!parts) return problem(400, "bad_cursor", parts.error().message);
            from = all.upper_bound((*parts)[0]);
        }
        const auto rest = std::distance(from, all.end());
        const auto end = std::next(from, std::min<std::ptrdiff_t>(rest, limit_of(request)));
        std::optional<std::string> next;
        if (end != all.end()) next = intents::make_cursor({std::prev(end)->first});
        const auto write = [&](json::Writer& out) {
            for (auto one = from; one != end; ++one) {
                out.begin_object().member("provider", one->first);
                out.member("configured", names.contains(one->first));
                out.member("enabled", enabled.contains(one->first));
                write_pause(out, one->second);
                out.end_object();
            }
        };
        return list_reply(write, next);
    };
}

SessionHandler pause_provider(ProviderNames names) {
    return change_provider(std::move(names), access::pause, true);
}

SessionHandler resume_provider(ProviderNames names) {
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
