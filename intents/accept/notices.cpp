#include "intents/accept/notices.hpp"

#include "base/json.hpp"
#include "intents/accept/entries.hpp"

namespace pawl::intents {
namespace {

using ledger::Kind;
using ledger::Outcome;

const char* type_of(Kind kind) {
    if (kind == Kind::set_balance) return "balance.set";
    return kind == Kind::debit ? "debit.applied" : "credit.applied";
}

// The names of the cause, as members of a message.
struct NameCause {
    json::Writer& payload;
    void operator()(const ledger::ByEvent& event) const {
        payload.member("provider", event.provider.str()).member("event_id", event.event_id.str());
    }
    void operator()(const ledger::ByPayment& payment) const {
        payload.member("payment_id", payment.payment_id);
    }
    void operator()(const ledger::ByRefund& refund) const {
        payload.member("refund_id", refund.refund_id);
    }
    void operator()(const ledger::ByOperator& act) const {
        payload.member("entry_id", act.entry_id);
        if (act.reverses) payload.member("reverses", *act.reverses);
        if (act.corrects) payload.member("corrects", *act.corrects);
    }
};

// Those who must look hear of it, whatever the event's rule says; it may have none.
constexpr const char* told_of_trouble = "notify";

std::string money_payload(const ledger::Entry& entry, const ledger::Applied& applied) {
    const ledger::Movement& movement = entry.movement;
    json::Writer payload;
    payload.begin_object().member("type", type_of(movement.kind));
    std::visit(NameCause{payload}, entry.cause);
    payload.member("account", movement.account.str()).member("amount", applied.moved);
    payload.member("currency", movement.amount.currency.code());
    payload.member("effect_key", movement.effect_key.str());
    payload.member("outcome", ledger::to_text(applied.outcome)).end_object();
    return payload.take();
}

bool moved_money(const ledger::Applied& applied) {
    return applied.outcome == Outcome::applied || applied.outcome == Outcome::applied_late;
}

std::string trouble_payload(const Origin& origin, const providers::Event& event,
                            const ledger::Applied& applied) {
    const bool parked = applied.outcome == Outcome::parked;
    json::Writer payload;
    payload.begin_object().member("type", parked ? "intent.parked" : "intent.quarantined");
    payload.member("provider", origin.provider.str());
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
    if (!moved_money(applied) || !event.movement || event.jobs.empty()) return;
    const std::string payload = money_payload(entry_of(origin, event), applied);
    for (const std::string& kind : event.jobs) {
        jobs.push_back({kind, payload, origin.correlation_id});
    }
}

void stage_notices(const ledger::Entry& entry, const CorrelationId& correlation_id,
                   const ledger::Applied& applied, std::vector<jobs::StagedJob>& jobs) {
    if (!moved_money(applied)) return;
    jobs.push_back({"notify", money_payload(entry, applied), correlation_id});
    const AccountId& against = entry.movement.against;
    if (against.empty() || ledger::is_clearing(against)) return;
    ledger::Entry other = entry;
    std::swap(other.movement.account, other.movement.against);
    other.movement.kind = entry.movement.kind == Kind::debit ? Kind::credit : Kind::debit;
    jobs.push_back({"notify", money_payload(other, applied), correlation_id});
}

}  // namespace pawl::intents
