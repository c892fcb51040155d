// An operator's actions on one unfinished event, each with a reason and an audit row in the same
// transaction. On the caller's session.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "db/session.hpp"
#include "intents/accept/submission.hpp"
#include "ledger/journal.hpp"
#include "providers/provider.hpp"

namespace pawl::intents {

enum class Act {
    retry,    // read its bytes again by the current rules, and decide again
    release,  // the numbers before it will not come: its sequence continues with it
    post,     // set aside the check that stopped it, and no other
    assign,   // give it what could not be read of it
    dismiss,  // close it: nothing moves
};

// The fields that `assign` supplies; a field left out keeps the value that was read.
struct Assignment {
    std::optional<providers::Action> effect{};  // credit or debit, where no rule says it
    std::optional<AccountId> account{};
    std::optional<std::int64_t> amount{};  // minor units
    std::optional<Currency> currency{};
    std::optional<EffectKey> effect_key{};
};

struct Instruction {
    Act act = Act::retry;
    std::string event_id;
    std::string principal;
    std::string reason;
    Assignment assigned{};
    std::string check{};  // of `post`: the check to set aside; empty: the one that stopped it
};

// The answer has the transfers that the event has posted. Refused with a stable code:
// unknown_intent (not found), finished (a second action, or one too late), stopped_again (another
// check than the one named, or than the one that an earlier `post` set aside), provider_paused
// (only dismiss is possible), not_possible (this action does not fit the cause, or the bytes were
// dropped), account_unknown (assign it), bad_assignment (the fields do not fit or are not enough).
struct ActResult : Result<EventResult> {
    using Result::Result;
    ActResult(std::string why, Error error) : Result(std::move(error)), code(std::move(why)) {}
    std::string code;  // empty: not refused
    std::vector<ledger::Posted> transfers{};
};

ActResult apply_operator_action(db::Session& session, const providers::Provider& provider,
                                const Instruction& instruction, Time now);

}  // namespace pawl::intents
