#include "controllers/admin/verify.hpp"

#include <atomic>
#include <memory>

#include "base/log.hpp"
#include "controllers/v1/body.hpp"
#include "intents/verify/verify.hpp"

namespace pawl::http {
namespace {

// Interval after which the next one may be requested; short polling would itself be a load.
constexpr const char* retry_after_s = "10";

Reply proof(const db::SessionOptions& options, intents::Depth depth) {
    Reply reply;
    try {
        db::Session session(options);
        reply.body = intents::to_json(intents::prove(session, depth));
    } catch (const db::Failure& failure) {
        log::warn("verification failed", {{"error", failure.what()}});
        return unavailable("database_unreachable",
                           "the database did not answer in time; try again");
    }
    return reply;
}

Reply one_is_running() {
    Reply reply = problem(409, "verify_running",
                          "the books are being verified already; retry when that has ended");
    reply.headers.emplace_back("Retry-After", retry_after_s);
    return reply;
}

}  // namespace

Handler run_verify(const AdminDeps& deps, const Operation& operation,
                   const db::SessionOptions& session, Executor& alone) {
    db::SessionOptions options = session;
    options.name = "verify";
    options.statement_timeout = std::chrono::minutes(10);
    const auto running = std::make_shared<std::atomic<bool>>(false);
    const auto verify = [options, running, &alone](const RequestPtr& request,
                                                   const Responder& respond) {
        const intents::Depth depth = Body(request->body).is_true("deep")
                                         ? intents::Depth::deep
                                         : intents::Depth::since_last_proof;
        if (running->exchange(true)) return respond(one_is_running());
        std::shared_ptr<void> turn(nullptr, [running](void*) { *running = false; });
        const bool accepted =
            alone.post([options, depth, turn = std::move(turn), respond]() mutable {
                Reply reply = proof(options, depth);
                turn.reset();  // before the answer, after which the client may retry
                respond(std::move(reply));
            });
        if (!accepted) respond(unavailable("shutting_down", "the server is stopping"));
    };
    return for_role(deps, operation, access::TokenRole::viewer, verify);
}

}  // namespace pawl::http
