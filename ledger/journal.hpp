// Transfers as they stand in the journal, for acts that take them back or replace them. Reads only;
// inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/money.hpp"
#include "db/session.hpp"

namespace pawl::ledger {

struct Posted {
    std::int64_t id = 0;
    EffectKey effect_key;
    AccountId debit;
    AccountId credit;
    Money amount;
    std::string payment_key;
    std::string entry_id;
    std::optional<std::int64_t> reverses{}, corrects{}, reversed_by{};
};

std::optional<Posted> find_transfer(db::Transaction& transaction, std::int64_t id);

// All transfers of a payment, all of an operator's act, and those of an event under these keys: in
// the order of their numbers.
std::vector<Posted> transfers_under(db::Transaction& transaction, const std::string& payment_key);
std::vector<Posted> transfers_of_entry(db::Transaction& transaction, const std::string& entry_id);
std::vector<Posted> transfers_of_event(db::Transaction& transaction, const std::string& provider,
                                       const std::string& event_id,
                                       const std::vector<std::string>& effect_keys);

// Returns the transfers that are in force: neither reversals nor reversed. If a reversal was itself
// reversed, its original is in force again.
std::vector<Posted> in_force(const std::vector<Posted>& transfers);

}  // namespace pawl::ledger
