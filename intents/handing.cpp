// The third part of Settling: what an event hands to a workflow, and what an entry does to the
// books.
#include "base/json.hpp"
#include "intents/notices.hpp"
#include "intents/settle.hpp"

namespace pawl::intents {

using ledger::Outcome;
using providers::Action;
using providers::Event;

namespace {

// What a run that an event starts begins with.
std::string state_of(const Origin& origin, const Event& event) {
    json::Writer state;
    state.begin_object().member("order", event.object).member("account", event.account);
    state.member("provider", origin.provider.str());
    state.member("event_id", event.event_id.str()).member("type", event.type).end_object();
    return state.take();
}

}  // namespace

std::optional<ledger::Applied> Settling::hand_to_workflow(const Origin& origin,
                                                          const Event& event) {
    if (event.action == Action::signal) {
        if (!desk_.unknown_signal_keys.contains(event.signal_key)) {
            return ledger::Applied{Outcome::started, "", {}, {}, {}};
        }
        return ledger::Applied{Outcome::quarantined, "no_run", {}, {}, {}};
    }
    if (event.action != Action::start) return std::nullopt;
    workflows::NewRun run;
    run.workflow = event.workflow;
    run.key = event.start_key.str();
    run.state = state_of(origin, event);
    run.correlation_id = origin.correlation_id;
    desk_.starts.push_back(std::move(run));
    return ledger::Applied{Outcome::started, "", {}, {}, {}};
}

// A run that waits for this payment hears of it, whoever posted the money.
void Settling::tell_run(const Origin& origin, const Event& event, const ledger::Applied& applied) {
    if (event.signal_key.empty() || !ledger::is_done(applied.outcome)) return;
    workflows::NewSignal signal;
    signal.key = event.signal_key;
    signal.says = {event.type, event.object, {}, origin.provider, event.event_id};
    if (event.movement) signal.says.amount = event.movement->amount;
    desk_.signals.push_back(std::move(signal));
}

ledger::Applied Settling::post(ledger::Entry entry, const ledger::Leave& leave) {
    const std::size_t transfers_before = desk_.book.new_transfers().size();
    const auto decision = ledger::decide(entry, desk_.book, leave);
    ledger::Applied applied = ledger::apply(decision, std::move(entry), now_, desk_.book);
    const auto& transfers = desk_.book.new_transfers();
    if (transfers.size() > transfers_before) posted_.push_back(transfers.back()->effect_key);
    return applied;
}

ledger::Applied Settling::take(const ledger::Entry& entry, const CorrelationId& correlation_id) {
    ledger::Applied applied = post(entry, {});
    stage_notices(entry, correlation_id, applied, desk_.jobs);
    release();
    return applied;
}

}  // namespace pawl::intents
