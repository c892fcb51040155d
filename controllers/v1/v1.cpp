#include "controllers/v1/v1.hpp"

#include "base/log.hpp"
#include "controllers/v1/pending_responses.hpp"

namespace pawl::http {
namespace {

// Answers 503 for a transient failure; any other one is a bug of Pawl and is answered 500.
Reply failed(const Request& request, const db::Failure& failure) {
    using db::FailureKind;
    log::warn("an API request failed", {{"path", request.path}, {"error", failure.what()}});
    if (failure.kind == FailureKind::permanent || failure.kind == FailureKind::data) {
        return problem(500, "internal", "The request could not be processed.");
    }
    return unavailable("database_unreachable",
                       "The database did not answer in time. Nothing is lost: send the same again, "
                       "under the same key.");
}

// For a wait that has run out while the database hangs.
constexpr Duration patience = std::chrono::seconds(3);

// Answers 503 if the database hangs, and with it the threads that would answer. The work may be
// committed even so: a client that retries under its key gets the result.
void answer_within(Timer& timer, const Responder& respond, Duration within) {
    const auto time = std::chrono::steady_clock::now() + within;
    respond.answer_by(timer, std::chrono::time_point_cast<Timer::Steady::duration>(time),
                      unavailable("database_unreachable",
                                  "The database did not answer in time. Nothing is lost: send the "
                                  "same again, under the same key."));
}

struct Answering {
    const V1Deps& deps;
    const Responder& respond;

    void operator()(Reply& reply) const { respond.unless_answered(std::move(reply)); }
    template <class Later>
    void operator()(Later& later) const {
        if (respond.answered()) return;  // with 503: the client has its answer
        answer_within(deps.timer, respond, later.until - deps.clock.now() + patience);
        deps.pending.add(std::move(later), respond);
    }
};

}  // namespace

Handler for_api(const V1Deps& deps, const Operation& operation, ApiHandler handler) {
    const auto answer = [deps, &operation, handler = std::move(handler)](const RequestPtr& request,
                                                                         const Responder& respond) {
        if (auto refused = operation.refusal(*request)) {
            respond.unless_answered(std::move(*refused));
            return;
        }
        HandlerResult outcome;
        try {
            const auto session = deps.sessions.take();
            outcome = handler(*request, *session);
        } catch (const db::Failure& failure) {
            outcome = failed(*request, failure);
        }
        std::visit(Answering{deps, respond}, outcome);
    };
    Handler on_threads =
        on_executor(deps.blocking, behind_token(deps.authenticate, access::TokenRole::api, answer));
    return [deps, on_threads = std::move(on_threads)](const RequestPtr& request,
                                                      const Responder& respond) {
        answer_within(deps.timer, respond, deps.answer_within);
        on_threads(request, respond);
    };
}

Reply json_reply(std::string body, int status) {
    // Balances and payments move: nothing on the way may keep a copy.
    return {status, "application/json", {{"Cache-Control", "no-store"}}, std::move(body)};
}

Reply stored_reply(const payments::StoredAnswer& answer) {
    Reply reply = json_reply(answer.body, answer.status);
    std::string_view rest = answer.headers;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const auto colon = line.find(": ");
        if (colon == std::string_view::npos) continue;
        std::string name(line.substr(0, colon)), value(line.substr(colon + 2));
        if (name == "Content-Type") {
            reply.content_type = std::move(value);
        } else {
            reply.headers.emplace_back(std::move(name), std::move(value));
        }
    }
    return reply;
}

}  // namespace pawl::http
