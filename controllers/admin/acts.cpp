#include "controllers/admin/acts.hpp"

namespace pawl::http {
namespace {

Reply to_reply(const std::string& provider, const Result<intents::EventResult>& answer) {
    if (!answer) return problem(409, "not_possible", answer.error().message);
    json::Writer out;
    out.begin_object().member("provider", provider).member("event_id", answer->event_id.str());
    out.member("status", ledger::status_of(answer->outcome));
    out.member("outcome", ledger::to_text(answer->outcome));
    out.member("note", answer->note).end_object();
    return json_200(out.take());
}

}  // namespace

SessionHandler act_on_intent(intents::Act act, std::vector<providers::Provider> providers,
                             const Clock& clock, std::function<void()> on_change) {
    return [act, providers = std::move(providers), &clock, on_change = std::move(on_change)](
               const Request& request, db::Session& session) -> Reply {
        const std::string& name = request.param("provider");
        for (const providers::Provider& provider : providers) {
            if (provider.name() != name) continue;
            const intents::Instruction instruction{act, request.param("event_id"),
                                                   request.principal->name, reason_of(request)};
            const auto answer =
                intents::apply_operator_action(session, provider, instruction, clock.now());
            on_change();
            return to_reply(name, answer);
        }
        return problem(404, "unknown_provider", "no provider of this name is configured");
    };
}

}  // namespace pawl::http
