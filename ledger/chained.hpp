// Transfers as their hash chain covers them. Pure.
#pragma once

#include <vector>

#include "base/hash_chain.hpp"
#include "ledger/book.hpp"

namespace pawl::ledger {

// Every column but the number and the chain's own, in the order of
// intents/sql/verify_transfers.sql: a column that is written here and not there, or the other way
// round, breaks every chain.
chain::Rows chained(const std::vector<const Transfer*>& transfers, Time posted_at);

}  // namespace pawl::ledger
