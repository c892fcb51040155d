#include "controllers/admin/intents.hpp"

#include <fmt/core.h>

#include "intents/queries/views.hpp"

namespace pawl::http {
namespace {

void write(json::Writer& out, const intents::IntentRow& row) {
    out.begin_object().member("provider", row.provider).member("event_id", row.event_id);
    out.member("type", row.type).member("status", row.status).member("outcome", row.outcome);
    out.member("note", row.note).member("account", row.account).member("object", row.object);
    out.member("amount", row.amount).member("currency", row.currency);
    out.member("effect_key", row.effect_key).member("sequence", row.sequence);
    out.member("deliveries", row.deliveries).member("attempts", row.attempts);
    out.member("correlation_id", row.correlation_id).member("received_at", row.received_at);
    out.member("done_at", row.done_at).end_object();
}

void write(json::Writer& out, const intents::RejectionRow& row) {
    out.begin_object().member("delivery_id", row.id).member("received_at", row.received_at);
    out.member("provider", row.provider).member("diagnosis", row.diagnosis);
    out.member("method", row.method).member("url", row.url).member("remote", row.remote);
    out.member("body_bytes", row.body_bytes).member("body_sha256", row.body_sha256).end_object();
}

template <class Page>
Reply page_reply(const Page& page) {
    return list_reply(
        [&page](json::Writer& out) {
            for (const auto& row : page.rows) write(out, row);
        },
        page.next);
}

}  // namespace

Reply get_intents(const Request& request, db::Session& session) {
    intents::IntentFilter filter;
    filter.provider = request.query_value("provider");
    filter.status = request.query_value("status");
    filter.outcome = request.query_value("outcome");
    filter.type = request.query_value("type");
    filter.account = request.query_value("account");
    filter.object = request.query_value("object");
    filter.text = request.query_value("q");
    filter.cursor = request.query_value("cursor").value_or("");
    filter.limit = limit_of(request);
    filter.received = time_range_of(request);
    const auto page = intents::list_intents(session, filter);
    return page ? page_reply(*page) : problem(400, "bad_cursor", page.error().message);
}

Reply get_intent(const Request& request, db::Session& session) {
    const std::string& provider = request.param("provider");
    const std::string& event_id = request.param("event_id");
    auto described = intents::describe_intent(session, provider, event_id);
    if (!described) {
        return problem(
            404, "unknown_intent",
            fmt::format(
                "event {0}: not found at provider {1}; `pawl intents list --q {0}` searches "
                "all providers",
                event_id, provider));
    }
    return json_200(std::move(*described));
}

Reply get_rejections(const Request& request, db::Session& session) {
    intents::RejectionFilter filter;
    filter.provider = request.query_value("provider");
    filter.diagnosis = request.query_value("diagnosis");
    filter.cursor = request.query_value("cursor").value_or("");
    filter.received = time_range_of(request);
    filter.limit = limit_of(request);
    const auto page = intents::list_rejections(session, filter);
    return page ? page_reply(*page) : problem(400, "bad_cursor", page.error().message);
}

}  // namespace pawl::http
