// What an operator may do about a run: each with a reason, and an audit row in the same
// transaction. A worker that holds the run at that moment loses it. On the caller's session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "db/session.hpp"

namespace pawl::workflows {

enum class RunAct {
    resume,       // go on at its recovery point, as if it were new
    cancel,       // give the payment up, at the gateway first
    new_attempt,  // give this attempt up without knowing, and begin the next: it may charge twice
    resolve,      // say how it went: somebody has looked it up
};

struct RunInstruction {
    RunAct act = RunAct::resume;
    std::int64_t run_id = 0;
    std::string principal;
    std::string reason;
    // For resolve: succeeded, declined or failed; what the gateway calls it and what it moved.
    std::string outcome, reference;
    std::optional<std::int64_t> amount;
    bool force =
        false;  // without asking the gateway: `verify` lists it until a webhook confirms it
};

struct RunChange {
    std::int64_t run_id = 0;
    std::string status, step;
    std::string new_payment;  // of a new attempt
};

// The error for a number that no run has.
Error unknown_run(std::int64_t run_id);

// `refused`: there is no such run, or what it is about is final. `invalid`: the instruction is.
Result<RunChange> apply_operator_action(db::Session& session, const RunInstruction& instruction,
                                        Time now);

}  // namespace pawl::workflows
