#include "controllers/admin/acts.hpp"

#include "controllers/admin/providers.hpp"
#include "controllers/admin/transfers.hpp"
#include "controllers/v1/body.hpp"

namespace pawl::http {
namespace {

Result<intents::Assignment> assignment_in(const Request& request) {
    const Body body(request.body);
    intents::Assignment given;
    given.amount = body.number("amount");
    if (const auto effect = body.text("effect")) {
        given.effect = *effect == "credit" ? providers::Action::credit : providers::Action::debit;
    }
    if (const auto code = body.text("currency")) {
        const auto currency = Currency::parse(*code);
        if (!currency) return currency.error();
        given.currency = *currency;
    }
    if (auto account = body.text("account")) given.account = AccountId(std::move(*account));
    if (auto key = body.text("effect_key")) given.effect_key = EffectKey(std::move(*key));
    return given;
}

int status_of(const std::string& code) {
    if (code == "unknown_intent") return 404;
    return code == "bad_assignment" ? 400 : 409;
}

Reply to_reply(const std::string& provider, const intents::ActResult& answer) {
    if (!answer) return problem(status_of(answer.code), answer.code, answer.error().message);
    json::Writer out;
    out.begin_object().member("provider", provider).member("event_id", answer->event_id.str());
    out.member("status", ledger::status_of(answer->outcome));
    out.member("outcome", ledger::to_text(answer->outcome));
    out.member("note", answer->note).key("transfers").begin_array();
    for (const ledger::Posted& one : answer.transfers) write_posted(out, one);
    out.end_array().end_object();
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
            intents::Instruction instruction{act, request.param("event_id"),
                                             request.principal->name, reason_of(request)};
            if (act == intents::Act::assign) {
                auto given = assignment_in(request);
                if (!given) return problem(400, "bad_assignment", given.error().message);
                instruction.assigned = std::move(*given);
            }
            if (act == intents::Act::post) {
                instruction.check = Body(request.body).text("check").value_or("");
            }
            const auto answer =
                intents::apply_operator_action(session, provider, instruction, clock.now());
            on_change();
            return to_reply(name, answer);
        }
        return unknown_provider(name);
    };
}

}  // namespace pawl::http
