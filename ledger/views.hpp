// Queries about balances and the journal, for the CLI and the APIs. Reads only; on the caller's
// session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/session.hpp"

namespace pawl::ledger {

struct BalanceRow {
    std::string account, currency;
    std::int64_t amount = 0;
    std::optional<std::int64_t> last_event_sequence;
    std::int64_t late_count = 0, version = 0;
};

// By account and currency, after the given pair; clearing accounts are not in this list.
std::vector<BalanceRow> list_balances(db::Session& session, const std::string& after_account,
                                      const std::string& after_currency, std::int64_t limit);

// Every currency of one account. A clearing account's are summed up from the journal.
std::vector<BalanceRow> balances_of(db::Session& session, const std::string& account);

struct TransferRow {
    std::int64_t id = 0;
    std::string effect_key, debit_account, credit_account, currency;
    std::int64_t amount = 0;
    std::optional<std::string> provider, event_id;
    std::optional<std::int64_t> sequence;
    std::string posted_at;
};

// Newest first, before the given id (0: the newest).
std::vector<TransferRow> transfers_of(db::Session& session, const std::string& account,
                                      std::int64_t before_id, std::int64_t limit);

}  // namespace pawl::ledger
