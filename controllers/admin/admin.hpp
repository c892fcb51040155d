// Shared by all admin endpoints: a token, a role, a thread that may wait, a database session, and
// one shape for lists. The endpoints themselves are functions of a request and a session.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/executor.hpp"
#include "base/json.hpp"
#include "controllers/access.hpp"
#include "controllers/http/api_document.hpp"
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
    OnRejected on_rejected{};
};

using SessionHandler = std::function<Reply(const Request&, db::Session&)>;

// The token, too, is looked up on the executor: IO threads never wait for the database. A request
// that does not fit the operation is refused between token and handler.
Handler for_role(const AdminDeps& deps, const Operation& operation, access::TokenRole role,
                 Handler handler);
// Viewers read; operators also change.
Handler require_viewer(const AdminDeps& deps, const Operation& operation, SessionHandler handler);
Handler require_operator(const AdminDeps& deps, const Operation& operation, SessionHandler handler);

Reply json_200(std::string body);
// {"items":[...],"next":null}; `items` writes the elements.
Reply list_reply(const std::function<void(json::Writer&)>& items,
                 const std::optional<std::string>& next);

// Parameters of a request that fits its operation.
std::int64_t limit_of(const Request& request);        // 50 by default
db::TimeRange time_range_of(const Request& request);  // `from` and `to`
std::int64_t row_number_of(const Request& request);   // `cursor`; 0: from the newest
std::string reason_of(const Request& request);        // for the audit log

}  // namespace pawl::http
