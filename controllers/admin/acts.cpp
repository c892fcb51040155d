#include "controllers/admin/acts.hpp"

#include <optional>

#include "controllers/admin/members.hpp"

namespace pawl::http {
namespace {

std::optional<intents::Act> act_of(std::string_view word) {
    if (word == "retry") return intents::Act::retry;
    if (word == "release") return intents::Act::release;
    if (word == "post") return intents::Act::post;
    if (word == "assign") return intents::Act::assign;
    if (word == "dismiss") return intents::Act::dismiss;
    return std::nullopt;
}

Result<providers::Action> effect_of(const std::string& word) {
    if (word == "credit") return providers::Action::credit;
    if (word == "debit") return providers::Action::debit;
    return invalid("effect: is credit or debit");
}

Result<intents::Assignment> assignment_in(const json::Document& body) {
    Members members(body, {"effect", "account", "amount", "currency", "effect_key", "reason"});
    intents::Assignment given;
    const auto effect = members.text("effect"), account = members.text("account");
    const auto currency = members.text("currency"), key = members.text("effect_key");
    given.amount = members.number("amount");
    if (!members.wrong().empty()) return invalid(members.wrong());
    if (effect) {
        const auto known = effect_of(*effect);
        if (!known) return known.error();
        given.effect = *known;
    }
    if (currency) {
        const auto known = Currency::parse(*currency);
        if (!known) return known.error();
        given.currency = *known;
    }
    if (account) given.account = AccountId(*account);
    if (key) given.effect_key = EffectKey(*key);
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
            return problem(404, "not_found",
                           "the acts on an event are retry, release, post, assign and dismiss");
        }
        const auto reason = reason_of(request);
        if (!reason) return problem(400, "reason_missing", reason.error().message);
        intents::Instruction instruction{*act, rest.substr(0, slash), request.principal->name,
                                         *reason};
        if (*act == intents::Act::assign) {
            const auto body = json::Document::parse(request.body);  // reason_of has read it before
            auto given = assignment_in(*body);
            if (!given) return problem(400, "bad_assignment", given.error().message);
            instruction.assigned = std::move(*given);
        }
        const std::string& name = request.param("provider");
        for (const providers::Provider& provider : providers) {
            if (provider.name() != name) continue;
            const auto answer =
                intents::apply_operator_action(session, provider, instruction, clock.now());
            on_change();
            return to_reply(name, answer);
        }
        return problem(404, "unknown_provider", "no provider of this name is configured");
    };
}

}  // namespace pawl::http
