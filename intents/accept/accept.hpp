// THE transaction: claim, decide, post, release, stage, for a batch of verified deliveries at once.
// The caller commits; until then nothing has happened, and no answer may leave. Runs on the thread
// that owns the session.
#pragma once

#include <set>
#include <vector>

#include "db/session.hpp"
#include "intents/accept/posted_shapes.hpp"
#include "intents/accept/submission.hpp"
#include "intents/segments/segment_filters.hpp"
#include "ledger/entry.hpp"

namespace pawl::intents {

// Posting a batch releases the events parked on it; these must be locked in the same transaction.
// Few batches have dependents, so the first attempt locks only the batch; a retry reads them first.
enum class LockScope { batch, batch_and_dependents };

// One DeliveryResult for each submission, in order. Throws db::Failure; then the transaction is
// lost. Segments that are not known are asked by their index. The shapes that were recorded go to
// `shapes`, if given.
std::vector<DeliveryResult> accept(db::Transaction& transaction, const Batch& batch, Time now,
                                   LockScope scope = LockScope::batch,
                                   const KnownSegments& known = {}, ShapeRecord* shapes = nullptr);

// accept and commit, tried again where the database says that the same may pass.
std::vector<DeliveryResult> accept_and_commit(db::Session& session, const Batch& batch, Time now,
                                              const KnownSegments& known = {});

// Posts entries that no event has caused, in the transaction of whatever has: under the same locks
// as an event's, by the same decision, and releasing the events that are parked on them. One result
// for each, in order. The effects of `held` are locked with them, and so neither posted nor
// returned by others until the commit.
std::vector<ledger::Applied> post_entries(db::Transaction& transaction,
                                          const std::vector<ledger::Entry>& entries,
                                          const std::set<EffectKey>& held,
                                          const CorrelationId& correlation_id, Time now);
// The same for one entry.
ledger::Applied post_money(db::Transaction& transaction, const ledger::Entry& entry,
                           const CorrelationId& correlation_id, Time now);

}  // namespace pawl::intents
