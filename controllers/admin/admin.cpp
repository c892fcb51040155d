#include "controllers/admin/admin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/log.hpp"

namespace pawl::http {
namespace {

constexpr std::int64_t limit_default = 50;
constexpr std::int64_t limit_max = 500;
constexpr std::size_t reason_bytes_max = 1000;

// What no database can hold as a text: no name of anything, and no filter.
bool is_text(const std::optional<std::string>& decoded) {
    return decoded && json::is_utf8(*decoded) && decoded->find('\0') == std::string::npos;
}

std::optional<Reply> unreadable(const Request& request) {
    for (const auto& [name, value] : request.params) {
        if (!is_text(value)) return problem(404, "not_found", "nothing has a name like this");
    }
    if (is_text(percent_decoded(request.query))) return std::nullopt;
    return problem(400, "bad_query", "what follows the ? is no UTF-8 text, percent-encoded");
}

Handler with_session(const AdminDeps& deps, Role role, SessionHandler handler) {
    const auto answer = [&sessions = deps.sessions, handler = std::move(handler)](
                            const RequestPtr& request, const Responder& respond) {
        if (auto wrong = unreadable(*request)) return respond(std::move(*wrong));
        try {
            const auto session = sessions.take();
            respond(handler(*request, *session));
        } catch (const db::Failure& failure) {
            log::warn("an admin request failed",
                      {{"path", request->path}, {"why", failure.what()}});
            respond(unavailable("database_unreachable",
                                "the database did not answer in time; try again"));
        }
    };
    return for_role(deps, role, answer);
}

}  // namespace

Handler for_role(const AdminDeps& deps, Role role, Handler handler) {
    return on_executor(deps.blocking, behind_token(deps.authenticate, role, std::move(handler)));
}

Handler viewing(const AdminDeps& deps, SessionHandler handler) {
    return with_session(deps, Role::viewer, std::move(handler));
}

Handler operating(const AdminDeps& deps, SessionHandler handler) {
    return with_session(deps, Role::operating, std::move(handler));
}

Reply list_reply(const std::function<void(json::Writer&)>& items,
                 const std::optional<std::string>& next) {
    json::Writer out;
    out.begin_object().key("items").begin_array();
    items(out);
    out.end_array().member("next", next).end_object();
    Reply reply;
    reply.body = out.take();
    return reply;
}

std::optional<Reply> unknown_parameter(const Request& request,
                                       std::initializer_list<std::string_view> known) {
    for (const std::string& name : request.query_names()) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        return problem(400, "unknown_parameter",
                       fmt::format("this list has no parameter \"{}\"; it takes {}", name,
                                   fmt::join(known, ", ")));
    }
    return std::nullopt;
}

std::optional<Reply> unknown_value(const Request& request, std::string_view parameter,
                                   std::span<const std::string_view> known) {
    const auto value = request.query_value(parameter);
    if (!value || std::find(known.begin(), known.end(), *value) != known.end()) {
        return std::nullopt;
    }
    return problem(400, "unknown_value",
                   fmt::format("{}: there is no \"{}\"; it is one of {}", parameter, *value,
                               fmt::join(known, ", ")));
}

std::optional<std::int64_t> limit_of(const Request& request) {
    const auto text = request.query_value("limit");
    if (!text) return limit_default;
    std::int64_t limit = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
    const bool good = error == std::errc{} && end == text->data() + text->size() && limit >= 1 &&
                      limit <= limit_max;
    return good ? std::optional(limit) : std::nullopt;
}

Result<db::TimeRange> time_range_of(const Request& request) {
    db::TimeRange range;
    for (const auto& [name, end] : {std::pair{"from", &range.from}, std::pair{"to", &range.to}}) {
        const auto text = request.query_value(name);
        if (!text) continue;
        const auto time = parse_rfc3339(*text);
        if (!time) return time.error();
        *end = *time;
    }
    return range;
}

Result<std::string> reason_of(const Request& request) {
    const auto missing = invalid(R"(a change needs a reason: send {"reason":"..."})");
    const auto document = json::Document::parse(request.body);
    if (!document) return missing;
    const auto value = document->root().at(json::Pointer::parse("/reason").value());
    const auto reason = value ? value->text() : std::nullopt;
    const bool blank = !reason || reason->find_first_not_of(" \t\r\n") == std::string::npos;
    if (blank || reason->size() > reason_bytes_max) return missing;
    return *reason;
}

}  // namespace pawl::http
