// What an operator may do about one unfinished event, each with a reason and an audit row in the
// same transaction. On the caller's session.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "db/session.hpp"
#include "intents/accept/submission.hpp"
#include "providers/provider.hpp"

namespace pawl::intents {

enum class Act {
    retry,    // read its bytes again by today's rules, and decide anew
    release,  // the numbers before it will not come: its stream goes on with it
    post,     // post it now, although what it needs, or its turn, has not come
};

struct Instruction {
    Act act = Act::retry;
    std::string event_id;
    std::string principal;
    std::string reason;
};

// `refused`: there is no such event, it is finished, or its bytes are gone.
Result<EventResult> apply_operator_action(db::Session& session, const providers::Provider& provider,
                                          const Instruction& instruction, Time now);

}  // namespace pawl::intents
