// What an operator may do about one unfinished event, each with a reason and an audit row in the
// same transaction. On the caller's session.
#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "db/session.hpp"
#include "intents/accept/submission.hpp"
#include "providers/provider.hpp"

namespace pawl::intents {

enum class Act {
    retry,    // read its bytes again by today's rules, and decide anew
    release,  // the numbers before it will not come: its sequence goes on with it
    post,     // set aside the check that stopped it, and no other
    assign,   // give it what could not be read of it
    dismiss,  // close it: nothing moves
};

// What `assign` supplies; what is left out is as it was read.
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
};

// Refused with a code that is stable: unknown_intent (there is none), finished (a second act, or
// one too late), provider_paused (dismiss alone is possible), not_possible (this act does not fit
// what stopped it, or its bytes are gone), account_unknown (assign it), bad_assignment (what was
// supplied does not fit or is not enough).
struct ActResult : Result<EventResult> {
    using Result::Result;
    ActResult(std::string why, Error error) : Result(std::move(error)), code(std::move(why)) {}
    std::string code;  // empty: not refused
};

ActResult apply_operator_action(db::Session& session, const providers::Provider& provider,
                                const Instruction& instruction, Time now);

}  // namespace pawl::intents
