#include "intents/accept/notices.hpp"

#include "base/json.hpp"
#include "providers/config.hpp"

namespace pawl::intents {
namespace {

using ledger::Outcome;

// Subscribers to quarantines receive it under any rule of the event, or none.
constexpr const char* notify_kind = "notify";

// An account that a transfer moved.
struct Side {
    const AccountId& account;
    const char* type;
};

Side first_side(const ledger::Transfer& posted) {
    return {posted.account(), posted.is_debit() ? "debit.applied" : "credit.applied"};
}

std::string money_payload(const ledger::Transfer& posted, const Side& side, Outcome outcome) {
    json::Writer payload;
    payload.begin_object().member("type", side.type);
    if (!posted.event_id.empty()) {
        payload.member("provider", posted.provider.str());
        payload.member("event_id", posted.event_id.str());
    }
    if (!posted.payment_id.empty()) payload.member("payment_id", posted.payment_id);
    if (!posted.refund_id.empty()) payload.member("refund_id", posted.refund_id);
    if (const auto& act = posted.by_operator) {
        payload.member("entry_id", act->entry_id);
        if (act->reverses) payload.member("reverses", *act->reverses);
        if (act->corrects) payload.member("corrects", *act->corrects);
    }
    payload.member("account", side.account.str()).member("amount", posted.amount.minor);
    payload.member("currency", posted.amount.currency.code());
    payload.member("effect_key", posted.effect_key.str());
    payload.member("outcome", ledger::to_text(outcome)).end_object();
    return payload.take();
}

// A balance that is set to its present amount moves nothing, and is announced all the same.
ledger::Transfer unmoved(const Origin& origin, const providers::Event& event) {
    const providers::Movement& movement = event.movements.front();
    ledger::Transfer unchanged;
    unchanged.debit = ledger::clearing_account(origin.books);
    unchanged.credit = movement.account;
    unchanged.effect_key = movement.effect_key;
    unchanged.amount = {0, movement.amount.currency};
    unchanged.provider = origin.provider;
    unchanged.event_id = event.event_id;
    return unchanged;
}

bool moved_money(const ledger::Applied& applied) {
    return applied.outcome == Outcome::applied || applied.outcome == Outcome::applied_late;
}

std::string attention_payload(const Origin& origin, const providers::Event& event,
                              const ledger::Applied& applied) {
    const bool parked = applied.outcome == Outcome::parked;
    json::Writer payload;
    payload.begin_object().member("type", parked ? "intent.parked" : "intent.quarantined");
    payload.member("provider", origin.provider.str());
    payload.member("event_id", event.event_id.str()).member("event_type", event.type);
    if (!event.movements.empty()) {
        payload.member("account", event.movements.front().account.str());
        payload.member("effect_key", event.movements.front().effect_key.str());
    }
    payload.member("reason", applied.note).end_object();
    return payload.take();
}

}  // namespace

void stage_notices(const Settled& settled, Outcome before, std::vector<jobs::StagedJob>& jobs) {
    const auto& [origin, event, applied, posted] = settled;
    const bool needs_attention =
        applied.outcome == Outcome::quarantined || applied.outcome == Outcome::parked;
    // An event that is evaluated again and stays parked causes no second notification.
    if (needs_attention && applied.outcome != before) {
        jobs.push_back(
            {notify_kind, attention_payload(origin, event, applied), origin.correlation_id});
    }
    if (!moved_money(applied) || event.jobs.empty()) return;
    const bool absolute = event.action == providers::Action::set_balance;
    const ledger::Transfer none = posted.empty() ? unmoved(origin, event) : ledger::Transfer{};
    const ledger::Transfer* const nothing[] = {&none};
    for (const ledger::Transfer* one : posted.empty() ? Posted(nothing) : posted) {
        Side side = first_side(*one);
        if (absolute) side.type = "balance.set";
        const std::string payload = money_payload(*one, side, applied.outcome);
        for (const std::string& kind : event.jobs) {
            jobs.push_back({kind, payload, origin.correlation_id});
        }
    }
}

void stage_notices(Posted posted, const ledger::Applied& applied,
                   const CorrelationId& correlation_id, std::vector<jobs::StagedJob>& jobs) {
    for (const ledger::Transfer* one : posted) {
        const Side side = first_side(*one);
        jobs.push_back({"notify", money_payload(*one, side, applied.outcome), correlation_id});
        // An operator may move money between two accounts, and neither is a clearing account.
        if (!one->is_debit() || ledger::is_clearing(one->credit)) continue;
        const Side other{one->credit, "credit.applied"};
        jobs.push_back({"notify", money_payload(*one, other, applied.outcome), correlation_id});
    }
}

void stage_dispute(const DisputeMark& mark, std::vector<jobs::StagedJob>& jobs) {
    json::Writer payload;
    payload.begin_object().member("type", "dispute." + std::string(providers::to_text(mark.state)));
    payload.member("books", mark.books).member("dispute_id", mark.dispute_id);
    payload.member("payment_key", mark.payment_key.str());
    payload.member("state", providers::to_text(mark.state)).end_object();
    jobs.push_back({"notify", payload.take(), mark.correlation_id});
}

}  // namespace pawl::intents
