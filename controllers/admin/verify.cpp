#include "controllers/admin/verify.hpp"

#include <atomic>
#include <memory>

#include "base/json.hpp"
#include "base/log.hpp"
#include "intents/verify/verify.hpp"

namespace pawl::http {
namespace {

// Enough to tell that the next one may be asked for, and not so often that the asking is a load.
constexpr const char* retry_after_s = "10";

// `{"deep":true}`; no body and `{}` mean false. nullopt: another body.
std::optional<intents::Depth> depth_of(const std::string& body) {
    if (body.empty()) return intents::Depth::since_last_proof;
    const auto document = json::Document::parse(body);
    if (!document) return std::nullopt;
    const auto deep = document->root().at(json::Pointer::parse("/deep").value());
    if (!deep) return intents::Depth::since_last_proof;
    if (deep->kind() != json::Kind::boolean) return std::nullopt;
    const bool wanted = deep->text().value_or("") == "true";
    return wanted ? intents::Depth::deep : intents::Depth::since_last_proof;
}

Reply proof(const db::SessionOptions& options, intents::Depth depth) {
    Reply reply;
    try {
        db::Session session(options);
        reply.body = intents::to_json(intents::prove(session, depth));
    } catch (const db::Failure& failure) {
        log::warn("the books could not be verified", {{"why", failure.what()}});
        return unavailable("database_unreachable",
                           "the database did not answer in time; try again");
    }
    return reply;
}

Reply one_is_running() {
    Reply reply = problem(409, "verify_running",
                          "the books are being verified already; ask again when that has ended");
    reply.headers.emplace_back("Retry-After", retry_after_s);
    return reply;
}

}  // namespace

Handler run_verify(const AdminDeps& deps, const db::SessionOptions& session, Executor& alone) {
    db::SessionOptions options = session;
    options.name = "verify";
    options.statement_timeout = std::chrono::minutes(10);
    const auto running = std::make_shared<std::atomic<bool>>(false);
    const auto verify = [options, running, &alone](const RequestPtr& request,
                                                   const Responder& respond) {
        const auto depth = depth_of(request->body);
        if (!depth) {
            return respond(problem(400, "bad_body", R"(send no body, or {"deep":true})"));
        }
        if (running->exchange(true)) return respond(one_is_running());
        std::shared_ptr<void> turn(nullptr, [running](void*) { *running = false; });
        const bool accepted =
            alone.post([options, depth = *depth, turn = std::move(turn), respond]() mutable {
                Reply reply = proof(options, depth);
                turn.reset();  // before the answer, after which the client may ask again
                respond(std::move(reply));
            });
        if (!accepted) respond(unavailable("shutting_down", "the server is stopping"));
    };
    return for_role(deps, Role::viewer, verify);
}

}  // namespace pawl::http
