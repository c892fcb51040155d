#include "controllers/admin/acts.hpp"

#include <optional>

namespace pawl::http {
namespace {

std::optional<intents::Act> act_of(std::string_view word) {
    if (word == "retry") return intents::Act::retry;
    if (word == "release") return intents::Act::release;
    if (word == "post") return intents::Act::post;
    return std::nullopt;
}

Reply to_reply(const std::string& provider, const Result<intents::EventResult>& answer) {
    if (!answer) return problem(409, "not_possible", answer.error().message);
    json::Writer out;
    out.begin_object().member("provider", provider).member("event_id", answer->event_id.str());
    out.member("status", ledger::status_of(answer->outcome));
    out.member("outcome", ledger::to_text(answer->outcome));
    out.member("note", answer->note).end_object();
    Reply reply;
    reply.body = out.take();
    return reply;
}

}  // namespace

SessionHandler act_on_intent(std::vector<providers::Provider> providers, const Clock& clock,
                             std::function<void()> on_change) {
    return [providers = std::move(providers), &clock, on_change = std::move(on_change)](
               const Request& request, db::Session& session) -> Reply {
        const std::string& rest = request.param("rest");
        const std::size_t slash = rest.rfind('/');
        const auto act = act_of(std::string_view(rest).substr(slash + 1));
        if (slash == std::string::npos || !act) {
            return problem(404, "not_found", "an event can be told to retry, release or post");
        }
        const auto reason = reason_of(request);
        if (!reason) return problem(400, "reason_missing", reason.error().message);
        const std::string& name = request.param("provider");
        for (const providers::Provider& provider : providers) {
            if (provider.name() != name) continue;
            const intents::Instruction instruction{*act, rest.substr(0, slash),
                                                   request.principal->name, *reason};
            const auto answer =
                intents::apply_operator_action(session, provider, instruction, clock.now());
            on_change();
            return to_reply(name, answer);
        }
        return problem(404, "unknown_provider", "no provider of this name is configured");
    };
}

}  // namespace pawl::http
