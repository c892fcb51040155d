#include "controllers/admin/attention.hpp"

namespace pawl::http {

SessionHandler get_attention(intents::Configured configured, const Clock& clock) {
    return [configured = std::move(configured), &clock](const Request& request,
                                                        db::Session& session) -> Reply {
        const auto page = intents::list_attention(
            session, {clock.now(), configured, time_range_of(request),
                      request.query_value("cursor").value_or(""), limit_of(request)});
        if (!page) return problem(400, "bad_cursor", page.error().message);
        return list_reply(
            [&page](json::Writer& out) {
                for (const intents::AttentionItem& item : page->items) {
                    out.begin_object().member("kind", item.kind).member("scope", item.scope);
                    out.member("reason", item.reason).member("type", item.type);
                    out.member("count", item.count).member("since", item.since);
                    out.member("example", item.example).member("remedy", item.remedy);
                    out.end_object();
                }
            },
            page->next);
    };
}

}  // namespace pawl::http
