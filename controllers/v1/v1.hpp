// Shared parts of the endpoints of /v1: a token of role `api`, a thread that may wait, a database
// session, and the ways into the payment workflows. The endpoints themselves are functions of a
// request and a session, independent of Drogon.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>

#include "base/clock.hpp"
#include "base/executor.hpp"
#include "base/json.hpp"
#include "controllers/access.hpp"
#include "controllers/http/api_document.hpp"
#include "controllers/http/http.hpp"
#include "controllers/http/problem.hpp"
#include "db/pool.hpp"
#include "payments/captures.hpp"
#include "payments/idempotency.hpp"
#include "payments/payments.hpp"
#include "payments/refunds.hpp"

namespace pawl::http {

struct KeyPolicy {
    bool stripe = false;  // the other profile: another body under a used key is a 400, not a 422
    Duration lifetime = std::chrono::days(30);
};

// Into what happens with payments. All but `wake` are called inside the transaction that is the
// reason for them.
struct PaymentDeps {
    using Payment = payments::Payment;
    std::function<void(db::Transaction&, const Payment&)> start_charge;
    std::function<void(db::Transaction&, const payments::Refund&, const Payment&)> start_refund;
    std::function<void(db::Transaction&, const payments::Capture&, const Payment&)> start_capture;
    // Returns false if a capture is under way: then nothing has changed.
    std::function<bool(db::Transaction&, const Payment&)> request_cancel;
    std::function<void()> wake;                   // after the commit: there is something to do
    std::map<std::string, std::string> gateways;  // name -> books
};

// The work is committed, and its answer will be there later.
struct AnswerLater {
    payments::KeyScope scope;
    std::string subject;
    Time until;
};
struct CancelLater {
    std::string payment_id;
    Time until;
};
using HandlerResult = std::variant<Reply, AnswerLater, CancelLater>;
using ApiHandler = std::function<HandlerResult(const Request&, db::Session&)>;

class PendingResponses;

struct V1Deps {
    db::Pool& sessions;
    Executor& blocking;  // at most one thread per session, so that none waits for one
    Authenticate authenticate;
    PendingResponses& pending;
    Timer& timer;
    const Clock& clock;
    Duration answer_within = std::chrono::milliseconds(1800);  // up to the commit
};

// The token, too, is looked up on the executor: IO threads never wait for the database. A request
// that does not fit the operation is refused between token and handler.
Handler for_api(const V1Deps& deps, const Operation& operation, ApiHandler handler);

Reply json_reply(std::string body, int status = 200);
Reply stored_reply(const payments::StoredAnswer& answer);

}  // namespace pawl::http
