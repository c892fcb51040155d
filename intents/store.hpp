// The SQL of intents and deliveries. Inside the caller's transaction, on the caller's thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "db/session.hpp"
#include "intents/desk.hpp"
#include "intents/reach.hpp"

namespace pawl::intents {

// Takes every lock of the batch in one statement, before anything is read: a statement that waits
// for a lock decides on the snapshot it took before it waited.
void lock(db::Transaction& transaction, const std::set<std::int64_t>& keys);

void read_intents(db::Transaction& transaction, const Reach& reach, const Batch& batch, Desk& desk);
void write_deliveries(db::Transaction& transaction, const Batch& batch);
void write_intents(db::Transaction& transaction, const Desk& desk, Time now);

// Header lines as they were sent, one a line, for webhook_deliveries.headers.
std::string header_lines(const providers::Headers& headers);

}  // namespace pawl::intents
