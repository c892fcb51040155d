// SQL access to deliveries: stores the bytes of a batch as one block, keeps a copy of those that
// unfinished events need, and records redeliveries. Inside the caller's transaction, on its thread.
#pragma once

#include "db/session.hpp"
#include "intents/accept/batch_context.hpp"

namespace pawl::intents {

// Stores the deliveries whose bytes are not known yet; their numbers go to the batch's context.
void write_deliveries(db::Transaction& transaction, const Batch& batch, BatchContext& context);

// After the decisions: a copy of each delivery that has bytes of an unfinished event, its first or
// others, and which of them brought an event again with other bytes.
void keep_open_deliveries(db::Transaction& transaction, const Batch& batch,
                          const BatchContext& context);
void write_redeliveries(db::Transaction& transaction, const Batch& batch,
                        const BatchContext& context);

}  // namespace pawl::intents
