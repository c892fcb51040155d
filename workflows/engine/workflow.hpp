// A workflow is a list of named steps. A step is a local transaction or a foreign call, never both;
// it returns where to go next, and the engine alone writes that down. Plain values.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "db/session.hpp"
#include "outbound/gateway.hpp"

namespace pawl::workflows {

// A run as it was claimed. What a step wants to remember goes into tables of its own, or `state`.
struct Run {
    std::int64_t id = 0;
    std::string workflow;
    std::string key;  // what makes this run one and the same
    std::string signal_key;
    std::string step;   // the recovery point: the step that comes next
    std::string state;  // JSON
    std::int64_t fencing_token = 0;
    std::int64_t attempts = 0;  // claims since the last recovery point
    CorrelationId correlation_id;
    Time created_at;

    std::string remembered(std::string_view member) const;  // of `state`; "": it has none
};

// The type of a signal that names no more than a movement under the payment's root.
inline constexpr std::string_view movement_signal = "movement";
// A signal of the same movement, to a capture of that payment that has not ended.
inline constexpr std::string_view capture_signal = "captured";

// What a webhook said about a run.
struct Signal {
    std::string type;       // the event's
    std::string reference;  // the gateway's id
    std::optional<Money> amount;
    ProviderName provider;
    EventId event_id;
};

// What a step gets to see. Signals are there until a step that saw them has been committed.
struct StepContext {
    const Run& run;
    const std::vector<Signal>& signals;
    Time now;
};

struct Go {  // the next recovery point, at once
    std::string step;
};
struct Wait {  // the same, later
    std::string step;
    Duration after;
    std::string why;
};
struct Finish {
    std::string note;
};
struct Review {  // a person must look; signals and an operator wake it
    std::string why;
};
using Next = std::variant<Go, Wait, Finish, Review>;

using LocalStep = std::function<Next(db::Transaction&, const StepContext&)>;

// Before: committed before the call, and may decide not to call. Call: no transaction is open.
// After: what the answer means, committed.
struct ForeignCall {
    std::string gateway;
    outbound::Call call;
    std::string key_sent;               // empty: a question, which changes nothing over there
    bool in_doubt = false;              // an earlier send may have been carried out
    CorrelationId correlation_id = {};  // the run's: the engine fills it in
    // Set where Pawl stops: the answer is not waited for any longer. Filled in by the engine, too.
    const std::atomic<bool>* unwanted = nullptr;
};
struct ForeignStep {
    std::function<std::variant<ForeignCall, Next>(db::Transaction&, const StepContext&)> before;
    std::function<outbound::HttpResult(const ForeignCall&)> call;
    std::function<Next(db::Transaction&, const StepContext&, const ForeignCall&,
                       const outbound::HttpResult&)>
        after;
};

struct Step {
    std::string name;
    std::variant<LocalStep, ForeignStep> does;
};

struct Workflow {
    std::string name;
    std::vector<Step> steps;  // the first one is where a run begins
    std::string
        on_signal;  // the step that a signal leads to when a run is finished; empty: its last
    // In the transaction that hands a run to a person, whoever asked for that.
    std::function<void(db::Transaction&, const StepContext&, const std::string& why)> on_review;
    // Steps that earlier versions had: where a run that stands there goes on.
    std::vector<std::pair<std::string, std::string>> renamed;

    const Step* find(std::string_view step) const;
};

}  // namespace pawl::workflows
