// An event that is delivered again in other bytes, after its rules were corrected, is not read as
// it was the first time, and is the same event. Inside the caller's transaction.
#pragma once

#include "db/session.hpp"
#include "intents/accept/batch_context.hpp"

namespace pawl::intents {

// For each event of the batch whose id is stored with other content: the first delivery is read
// again by today's rules, and if it says the same, the stored intent counts as the same event.
// Where its bytes no longer exist, effect key, account, amount and currency are compared.
void compare_by_todays_rules(db::Transaction& transaction, const Batch& batch,
                             BatchContext& context);

}  // namespace pawl::intents
