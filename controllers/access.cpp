#include "controllers/access.hpp"

#include <exception>

#include "base/log.hpp"
#include "base/text.hpp"
#include "controllers/http/problem.hpp"

namespace pawl::http {
namespace {

using access::TokenRole;

// Nothing, too, where there are two: which of them would count?
std::optional<std::string_view> bearer_token(const Request& request) {
    std::optional<std::string_view> found;
    for (const auto& [name, value] : request.headers) {
        if (!equal_ignoring_case(name, "authorization")) continue;
        if (found) return std::nullopt;
        found = value;
    }
    constexpr std::string_view scheme = "bearer ";
    if (!found || found->size() <= scheme.size()) return std::nullopt;
    if (!equal_ignoring_case(found->substr(0, scheme.size()), scheme)) return std::nullopt;
    return found->substr(scheme.size());
}

bool may_act_as(TokenRole has, TokenRole wanted) {
    return has == wanted || (has == TokenRole::operating && wanted == TokenRole::viewer);
}

Reply not_authenticated(const char* challenge, const char* detail) {
    Reply reply = problem(401, "unauthorized", detail);
    reply.headers.emplace_back("WWW-Authenticate", challenge);
    return reply;
}

}  // namespace

Handler behind_token(Authenticate authenticate, access::TokenRole role, Handler handler) {
    return [authenticate = std::move(authenticate), role, handler = std::move(handler)](
               const RequestPtr& request, const Responder& respond) {
        const auto token = bearer_token(*request);
        if (!token) {
            return respond(not_authenticated("Bearer realm=\"pawl\"",
                                             "Send one Authorization: Bearer TOKEN header."));
        }
        auto principal = authenticate(*token);
        if (!principal) {
            log::warn("token check failed", {{"error", principal.error().message}});
            return respond(unavailable("unavailable", "Tokens cannot be checked just now."));
        }
        if (!*principal) {
            return respond(not_authenticated("Bearer realm=\"pawl\", error=\"invalid_token\"",
                                             "The token is unknown or revoked."));
        }
        if (!may_act_as((*principal)->role, role)) {
            return respond(problem(403, "forbidden", "The token's role does not allow this."));
        }
        request->principal = std::move(**principal);
        handler(request, respond);
    };
}

Handler on_executor(Executor& executor, Handler handler) {
    const auto shared = std::make_shared<const Handler>(std::move(handler));
    return [&executor, shared](const RequestPtr& request, const Responder& respond) {
        const bool accepted = executor.post([shared, request, respond] {
            try {
                return (*shared)(request, respond);
            } catch (const std::exception& error) {
                log::error("a handler threw", {{"error", error.what()}});
            } catch (...) {
                log::error("a handler threw", {{"error", "an object that is not an exception"}});
            }
            if (!respond.answered()) {
                respond(problem(500, "internal", "The request could not be processed."));
            }
        });
        if (!accepted) {
            respond(unavailable("queue_full", "The server is busy or shutting down."));
        }
    };
}

}  // namespace pawl::http
