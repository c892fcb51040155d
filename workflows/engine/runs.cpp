#include "workflows/engine/runs.hpp"

#include "workflows/sql.hpp"

namespace pawl::workflows {
namespace {

std::optional<std::string> if_any(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

void start_run(db::Transaction& transaction, const NewRun& run, Time now) {
    db::Params params;
    params.text(run.workflow).text(run.key).maybe_text(if_any(run.signal_key)).text(run.lane);
    params.text(run.step).text(run.state).time(now).text(run.correlation_id.str());
    transaction.run(sql::start_run, params);
}

void point_signals(db::Transaction& transaction, const Run& run, const std::string& signal_key,
                   const std::string& lane, const std::string& state) {
    transaction.run(sql::point_signals_at_run,
                    db::Params().number(run.id).text(signal_key).text(lane).text(state));
}

void signal_runs(db::Transaction& transaction, const std::vector<NewSignal>& signals, Time now) {
    if (signals.empty()) return;
    std::vector<std::string> keys, types, references, currencies, providers, events;
    std::vector<std::optional<std::int64_t>> amounts;
    for (const auto& [key, says] : signals) {
        keys.push_back(key);
        types.push_back(says.type);
        references.push_back(says.reference);
        amounts.push_back(says.amount ? std::optional(says.amount->minor) : std::nullopt);
        currencies.push_back(says.amount ? says.amount->currency.str() : "");
        providers.push_back(says.provider.str());
        events.push_back(says.event_id.str());
    }
    db::Params params;
    params.texts(keys).texts(types).texts(references).numbers(amounts).texts(currencies);
    params.texts(providers).texts(events).time(now);
    transaction.run(sql::insert_signals, params);
}

void signal_roots(db::Transaction& transaction, const std::vector<RootSignal>& roots, Time now) {
    if (roots.empty()) return;
    std::vector<std::string> keys, providers, events;
    for (const RootSignal& one : roots) {
        keys.push_back(one.root.str());
        providers.push_back(one.provider.str());
        events.push_back(one.event_id.str());
    }
    db::Params params;
    params.texts(keys).texts(providers).texts(events).text(movement_signal).time(now);
    transaction.run(sql::insert_root_signals, params);
}

std::set<std::string> known_signal_keys(db::Transaction& transaction,
                                        const std::set<std::string>& keys) {
    if (keys.empty()) return {};
    std::set<std::string> known;
    const auto params = db::Params().texts(std::vector<std::string>(keys.begin(), keys.end()));
    for (const db::Row row : transaction.run(sql::signal_keys, params)) known.insert(row.str(0));
    return known;
}

}  // namespace pawl::workflows
