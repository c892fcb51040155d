// Authorisation: wraps handlers with a bearer-token check and a role, and with an executor. Tokens
// are checked by the function that the wiring supplies (in constant time). Free functions; the
// wrapped handlers are for any thread.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/executor.hpp"
#include "base/result.hpp"
#include "controllers/http/http.hpp"

namespace pawl::http {

// Returns nullopt if the token is invalid, and an error if it could not be checked, which is a 503
// and never a 401.
using Authenticate =
    std::function<Result<std::optional<access::TokenIdentity>>(std::string_view token)>;

// Called on the thread of the request. The principal is the token's, empty if it is unknown.
using OnRejected = std::function<void(const Request& request, const std::string& principal,
                                      const std::string& reason)>;

// 401 without a valid token, 403 without the role. An operator may do what a viewer may; `api`
// stands apart, for /v1. The handler finds the caller in request->principal.
Handler behind_token(Authenticate authenticate, access::TokenRole role, Handler handler,
                     OnRejected on_rejected = {});

// Runs the handler on an executor, so that it may block; 503 where its queue is full.
Handler on_executor(Executor& executor, Handler handler);

}  // namespace pawl::http
