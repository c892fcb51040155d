#include "controllers/access.hpp"

#include <fmt/core.h>

#include <exception>

#include "access/tokens.hpp"
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

constexpr const char* token_missing = "token: missing; send one header Authorization: Bearer TOKEN";
constexpr const char* token_invalid =
    "token: unknown, expired or revoked; `pawl token list` shows the valid ones";

std::string wrong_role(TokenRole has, TokenRole wanted) {
    return fmt::format(
        "token: has the role {}, which does not allow this; use a token with the role {}{}",
        access::to_text(has), access::to_text(wanted),
        wanted == TokenRole::viewer ? " or operator" : "");
}

}  // namespace

Handler behind_token(Authenticate authenticate, access::TokenRole role, Handler handler,
                     OnRejected on_rejected) {
    const auto note = [on_rejected = std::move(on_rejected)](const Request& request,
                                                             const std::string& principal,
                                                             const char* reason) {
        if (on_rejected) on_rejected(request, principal, reason);
    };
    return [authenticate = std::move(authenticate), role, handler = std::move(handler), note](
               const RequestPtr& request, const Responder& respond) {
        const auto token = bearer_token(*request);
        if (!token) {
            respond(not_authenticated("Bearer realm=\"pawl\"", token_missing));
            return note(*request, "", "token missing");
        }
        auto principal = authenticate(*token);
        if (!principal) {
            log::warn("token check failed", {{"error", principal.error().message}});
            return respond(unavailable("unavailable", "Tokens cannot be checked just now."));
        }
        if (!*principal) {
            respond(
                not_authenticated("Bearer realm=\"pawl\", error=\"invalid_token\"", token_invalid));
            return note(*request, "", "token unknown, expired or revoked");
        }
        if (!may_act_as((*principal)->role, role)) {
            respond(problem(403, "forbidden", wrong_role((*principal)->role, role)));
            return note(*request, (*principal)->name, "role not allowed");
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
