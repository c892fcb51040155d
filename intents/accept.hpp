// THE transaction: claim, decide, post, stage, for a batch of verified deliveries at once. The
// caller commits; until then nothing has happened, and no answer may leave. Runs on the thread
// that owns the session.
#pragma once

#include <vector>

#include "db/session.hpp"
#include "intents/submission.hpp"

namespace pawl::intents {

// One Answer for each submission, in order. Throws db::Failure; then the transaction is lost.
std::vector<Answer> accept(db::Transaction& transaction, const Batch& batch, Time now);

}  // namespace pawl::intents
