#include "controllers/v1/under_key.hpp"

#include "base/crypto.hpp"
#include "base/fault.hpp"
#include "controllers/v1/idempotency_key.hpp"
#include "controllers/v1/preconditions.hpp"

namespace pawl::http {
namespace {

Reply reused(const KeyPolicy& policy) {
    return problem(policy.stripe ? 400 : 422, "idempotency_key_reused",
                   "This Idempotency-Key was used for another request: other target, content type "
                   "or body. Send what was sent first, or use a new key.");
}

Reply in_flight() {
    Reply reply = problem(409, "idempotency_in_progress",
                          "The first request under this Idempotency-Key is still being worked on.");
    reply.headers.emplace_back("Retry-After", "1");
    return reply;
}

Reply replayed(const payments::StoredAnswer& answer) {
    Reply reply = stored_reply(answer);
    reply.headers.emplace_back("Idempotent-Replayed", "true");
    return reply;
}

HandlerResult used_before(db::Transaction& transaction, const Keyed& keyed, const KeyPolicy& policy,
                          const payments::KeyUse& taken, Time now) {
    const auto& [scope, wanted] = keyed;
    if (!crypto::equal(taken.fingerprint, wanted.fingerprint)) return reused(policy);
    if (taken.answer) return replayed(*taken.answer);
    // Our own: the answer to a COMMIT got lost, and it had landed.
    const bool ours = taken.subject == wanted.subject;
    if (!ours && !payments::take_over_wait(transaction, scope, wanted.wait_until, now)) {
        return in_flight();
    }
    return AnswerLater{scope, taken.subject, wanted.wait_until};
}

}  // namespace

std::variant<Reply, Keyed> keyed(const Request& request, const char* route, std::string subject,
                                 Time now, Time expires_at) {
    IdempotencyKey key = idempotency_key_of(request);
    if (key.trouble != KeyTrouble::none) {
        const bool missing = key.trouble == KeyTrouble::missing;
        return problem(400, missing ? "idempotency_key_missing" : "idempotency_key_invalid",
                       key.detail);
    }
    Keyed keyed;
    keyed.scope = {request.principal->name, route, std::move(key.text)};
    keyed.use = {
        fingerprint_of(request), std::move(subject), now + wait_of(request), expires_at, {}};
    return keyed;
}

HandlerResult under_key(db::Session& session, const Keyed& keyed, const KeyPolicy& policy, Time now,
                        const Work& work) {
    HandlerResult outcome;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        if (const auto taken = payments::take_key(transaction, keyed.scope, keyed.use, now)) {
            outcome = used_before(transaction, keyed, policy, *taken, now);
            return;
        }
        PAWL_FAULT_POINT(key_taken_before_work);
        if (auto refusal = work(transaction)) {
            payments::give_up_key(transaction, keyed.scope);
            outcome = std::move(*refusal);
            return;
        }
        outcome = AnswerLater{keyed.scope, keyed.use.subject, keyed.use.wait_until};
        PAWL_FAULT_POINT(work_done_before_commit);
    });
    PAWL_FAULT_POINT(work_committed_before_wait);
    return outcome;
}

}  // namespace pawl::http
