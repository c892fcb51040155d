// An operator's actions on the journal: post an entry, reverse a transfer, correct one. Each action
// is one transaction with its audit row; it is posted by the ledger's decision, under the locks
// that events take. On the caller's session.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "db/session.hpp"
#include "ledger/journal.hpp"

namespace pawl::intents {

// Under a reference of the operator's own, by which it is posted once.
struct PostEntry {
    std::string reference;
    AccountId debit;
    AccountId credit;
    Money amount;
};
// Once a transfer.
struct ReverseTransfer {
    std::int64_t id = 0;
};
// Reverses a transfer and posts it again with another account or amount. If the account is another,
// the transfers to the old one for the same payment move with it.
struct CorrectTransfer {
    std::int64_t id = 0;
    std::string reference;
    std::optional<AccountId> account{};
    std::optional<std::int64_t> amount{};  // minor units
};
using TransferAct = std::variant<PostEntry, ReverseTransfer, CorrectTransfer>;

struct ActedBy {
    std::string principal;
    std::string reason;
};

// `duplicate`: an act of this reference and content was done before; nothing was posted now.
struct TransferActDone {
    std::string reference;
    std::vector<ledger::Posted> transfers;
    bool duplicate = false;
};
// A refusal, without any change. `code` is stable: bad_reference, bad_account, bad_amount,
// nothing_to_correct (invalid), unknown_transfer, and the others (a conflict with the journal).
struct TransferActRefused {
    std::string code;
    std::string message;
};
using TransferActResult = std::variant<TransferActDone, TransferActRefused>;

TransferActResult apply_transfer_act(db::Session& session, const TransferAct& act,
                                     const ActedBy& by, Time now);

}  // namespace pawl::intents
