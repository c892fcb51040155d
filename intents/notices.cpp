#include "intents/notices.hpp"

#include "base/json.hpp"

namespace pawl::intents {
namespace {

using ledger::Outcome;
using providers::Action;

const char* type_of(Action action) {
    if (action == Action::set_balance) return "balance.set";
    return action == Action::debit ? "debit.applied" : "credit.applied";
}

// Those who must look hear of it, whatever the event's rule says; it may have none.
constexpr const char* told_of_trouble = "notify";

std::string money_payload(const Origin& origin, const providers::Event& event,
                          const ledger::Applied& applied) {
    const auto& movement = *event.movement;
    json::Writer payload;
    payload.begin_object().member("type", type_of(event.action));
    payload.member("provider", origin.reporter.provider.str());
    payload.member("event_id", event.event_id.str());
    payload.member("account", movement.account.str()).member("amount", applied.moved);
    payload.member("currency", movement.amount.currency.code());
    payload.member("effect_key", movement.effect_key.str());
    payload.member("outcome", ledger::to_text(applied.outcome)).end_object();
    return payload.take();
}

std::string trouble_payload(const Origin& origin, const providers::Event& event,
                            const ledger::Applied& applied) {
    const bool parked = applied.outcome == Outcome::parked;
    json::Writer payload;
    payload.begin_object().member("type", parked ? "intent.parked" : "intent.quarantined");
    payload.member("provider", origin.reporter.provider.str());
    payload.member("event_id", event.event_id.str()).member("event_type", event.type);
    if (event.movement) {
        payload.member("account", event.movement->account.str());
        payload.member("effect_key", event.movement->effect_key.str());
    }
    payload.member("reason", applied.note).end_object();
    return payload.take();
}

}  // namespace

void stage_notices(const Origin& origin, const providers::Event& event, Outcome before,
                   const ledger::Applied& applied, std::vector<jobs::StagedJob>& jobs) {
    const bool trouble =
        applied.outcome == Outcome::quarantined || applied.outcome == Outcome::parked;
    // What is looked at again and still waits is no news.
    if (trouble && applied.outcome != before) {
        jobs.push_back(
            {told_of_trouble, trouble_payload(origin, event, applied), origin.correlation_id});
    }
    const bool money =
        applied.outcome == Outcome::applied || applied.outcome == Outcome::applied_late;
    if (!money || !event.movement) return;
    for (const std::string& kind : event.jobs) {
        jobs.push_back({kind, money_payload(origin, event, applied), origin.correlation_id});
    }
}

}  // namespace pawl::intents
