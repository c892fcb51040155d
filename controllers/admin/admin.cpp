#include "controllers/admin/admin.hpp"

#include "base/log.hpp"
#include "controllers/v1/body.hpp"

namespace pawl::http {
namespace {

constexpr std::int64_t limit_default = 50;

Handler with_session(const AdminDeps& deps, const Operation& operation, access::TokenRole role,
                     SessionHandler handler) {
    const auto answer = [&sessions = deps.sessions, handler = std::move(handler)](
                            const RequestPtr& request, const Responder& respond) {
        try {
            const auto session = sessions.take();
            respond(handler(*request, *session));
        } catch (const db::Failure& failure) {
            log::warn("admin request failed", {{"path", request->path}, {"error", failure.what()}});
            respond(unavailable("database_unreachable",
                                "the database did not answer in time; try again"));
        }
    };
    return for_role(deps, operation, role, answer);
}

}  // namespace

Handler for_role(const AdminDeps& deps, const Operation& operation, access::TokenRole role,
                 Handler handler) {
    const auto fitting = [&operation, handler = std::move(handler)](const RequestPtr& request,
                                                                    const Responder& respond) {
        if (auto refused = operation.refusal(*request)) return respond(std::move(*refused));
        handler(request, respond);
    };
    return on_executor(deps.blocking,
                       behind_token(deps.authenticate, role, fitting, deps.on_rejected));
}

Handler require_viewer(const AdminDeps& deps, const Operation& operation, SessionHandler handler) {
    return with_session(deps, operation, access::TokenRole::viewer, std::move(handler));
}

Handler require_operator(const AdminDeps& deps, const Operation& operation,
                         SessionHandler handler) {
    return with_session(deps, operation, access::TokenRole::operating, std::move(handler));
}

Reply json_200(std::string body) {
    Reply reply;
    reply.body = std::move(body);
    return reply;
}

Reply list_reply(const std::function<void(json::Writer&)>& items,
                 const std::optional<std::string>& next) {
    json::Writer out;
    out.begin_object().key("items").begin_array();
    items(out);
    out.end_array().member("next", next).end_object();
    return json_200(out.take());
}

std::int64_t limit_of(const Request& request) {
    const auto text = request.query_value("limit");
    return text ? whole_number(*text).value() : limit_default;
}

db::TimeRange time_range_of(const Request& request) {
    db::TimeRange range;
    if (const auto from = request.query_value("from")) range.from = parse_rfc3339(*from).value();
    if (const auto to = request.query_value("to")) range.to = parse_rfc3339(*to).value();
    return range;
}

std::int64_t row_number_of(const Request& request) {
    const auto text = request.query_value("cursor");
    return text ? whole_number(*text).value() : 0;
}

std::string reason_of(const Request& request) {
    return Body(request.body).text("reason").value();
}

}  // namespace pawl::http
