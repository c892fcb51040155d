#include "workflows/engine/runs.hpp"

#include "base/text.hpp"
#include "workflows/sql.hpp"

namespace pawl::workflows {
void start_run(db::Transaction& transaction, const NewRun& run, Time now) {
    transaction.run(sql::StartRun{.workflow = run.workflow,
                                  .key = run.key,
                                  .signal_key = if_any(run.signal_key),
                                  .lane = run.lane,
                                  .step = run.step,
                                  .state = run.state,
                                  .now = now,
                                  .correlation_id = run.correlation_id.str()});
}

void point_signals(db::Transaction& transaction, const Run& run, const std::string& signal_key,
                   const std::string& lane, const std::string& state) {
    transaction.run(sql::PointSignalsAtRun{
        .run_id = run.id, .signal_key = signal_key, .lane = lane, .state = state});
}

void signal_runs(db::Transaction& transaction, const std::vector<NewSignal>& signals, Time now) {
    if (signals.empty()) return;
    db::Texts keys, types, references, currencies, providers, events;
    db::Numbers amounts;
    for (const auto& [key, says] : signals) {
        keys.add(key);
        types.add(says.type);
        references.add(says.reference);
        amounts.add(says.amount ? std::optional(says.amount->minor) : std::nullopt);
        currencies.add(says.amount ? says.amount->currency.str() : "");
        providers.add(says.provider.str());
        events.add(says.event_id.str());
    }
    transaction.run(sql::InsertSignals{.key = std::move(keys),
                                       .type = std::move(types),
                                       .reference = std::move(references),
                                       .amount = std::move(amounts),
                                       .currency = std::move(currencies),
                                       .provider = std::move(providers),
                                       .event_id = std::move(events),
                                       .now = now});
}

void signal_roots(db::Transaction& transaction, const std::vector<RootSignal>& roots, Time now) {
    if (roots.empty()) return;
    db::Texts keys, providers, events;
    for (const RootSignal& one : roots) {
        keys.add(one.root.str());
        providers.add(one.provider.str());
        events.add(one.event_id.str());
    }
    transaction.run(sql::InsertRootSignals{.payment_key = std::move(keys),
                                           .provider = std::move(providers),
                                           .event_id = std::move(events),
                                           .type = movement_signal,
                                           .capture_type = capture_signal,
                                           .received_at = now});
}

std::set<std::string> known_signal_keys(db::Transaction& transaction,
                                        const std::set<std::string>& keys) {
    if (keys.empty()) return {};
    std::set<std::string> known;
    db::Texts wanted;
    for (const std::string& key : keys) wanted.add(key);
    for (const auto row : transaction.run(sql::SignalKeys{.signal_key = std::move(wanted)})) {
        known.emplace(row.signal_key().value());
    }
    return known;
}

}  // namespace pawl::workflows
