// Starting and signalling runs, inside the transaction of whatever is the reason for it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "db/session.hpp"
#include "workflows/engine/workflow.hpp"

namespace pawl::workflows {

struct NewRun {
    std::string workflow;
    std::string key;         // starting it twice under one key starts it once
    std::string signal_key;  // under which signals find it; empty: none (yet)
    std::string lane;        // the gateway it calls
    std::string step;
    std::string state = "{}";  // JSON
    CorrelationId correlation_id;
};
void start_run(db::Transaction& transaction, const NewRun& run, Time now);

// For a run that finds out on its way which payment it is about.
void point_signals(db::Transaction& transaction, const Run& run, const std::string& signal_key,
                   const std::string& lane, const std::string& state);

// An accepted webhook's message to a run.
struct NewSignal {
    std::string key;
    Signal says;
};
void signal_runs(db::Transaction& transaction, const std::vector<NewSignal>& signals, Time now);

// An event, or an operator's entry, has moved money under the root of a payment: the payment's run
// derives its state from the sums. Written in the transaction that posts, under the root's lock.
struct RootSignal {
    EffectKey root;
    ProviderName provider;
    EventId event_id;
};
void signal_roots(db::Transaction& transaction, const std::vector<RootSignal>& roots, Time now);

// Returns the keys of these that some run listens to.
std::set<std::string> known_signal_keys(db::Transaction& transaction,
                                        const std::set<std::string>& keys);

}  // namespace pawl::workflows
