// What every admin endpoint shares: a token, a role, a thread that may wait, a database session,
// and one shape for lists. The endpoints themselves are functions of a request and a session.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/executor.hpp"
#include "base/json.hpp"
#include "controllers/access.hpp"
#include "controllers/http/http.hpp"
#include "controllers/http/problem.hpp"
#include "controllers/http/routes.hpp"
#include "db/pool.hpp"
#include "db/time_range.hpp"

namespace pawl::http {

struct AdminDeps {
    db::Pool& sessions;
    Executor& blocking;  // has no more threads than there are sessions
    Authenticate authenticate;
};

using SessionHandler = std::function<Reply(const Request&, db::Session&)>;

// The token, too, is looked up on the executor: IO threads never wait for the database.
Handler for_role(const AdminDeps& deps, Role role, Handler handler);
// For viewers: reads. For operators: everything that changes something.
Handler viewing(const AdminDeps& deps, SessionHandler handler);
Handler operating(const AdminDeps& deps, SessionHandler handler);

// {"items":[...],"next":null}; `items` writes the elements.
Reply list_reply(const std::function<void(json::Writer&)>& items,
                 const std::optional<std::string>& next);

// 400 where the query has a parameter that the list does not take: a misspelt filter would show
// everything.
std::optional<Reply> unknown_parameter(const Request& request,
                                       std::initializer_list<std::string_view> known);
// 400 where the parameter has none of the values that exist: nothing ever has it.
std::optional<Reply> unknown_value(const Request& request, std::string_view parameter,
                                   std::span<const std::string_view> known);

// `limit` of the query: 1 to 500, 50 where it is not given. Nothing: it is not such a number.
std::optional<std::int64_t> limit_of(const Request& request);

// `from` and `to` of the query, RFC 3339.
Result<db::TimeRange> time_range_of(const Request& request);

// `reason` of a change's body. Every change needs one: it goes into the audit log.
Result<std::string> reason_of(const Request& request);

}  // namespace pawl::http
