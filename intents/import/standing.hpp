// The meaning of a line of a file of captures for books that have the payment's root already, as a
// value: a pure function of the line and of what the books say about the root.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "intents/import/capture_file.hpp"

namespace pawl::intents {

// A movement of a payment, as the journal has it.
struct RootTransfer {
    std::int64_t id = 0;
    EffectKey key;
    AccountId debit, credit;
    Money amount;
    std::string entry_id;  // of the operator's act that posted it; empty: none did
    std::optional<Time> occurred_at;
};

struct RootState {
    std::vector<RootTransfer> transfers;  // in the order in which they were posted
    std::string payment_id;               // the payment of Pawl's own that has the root
    bool refund_total_known = false;      // a running total of its returns was accepted
    bool account_is_absolute = false;     // the line's account is set by its provider
};

enum class Standing {
    open,      // nothing is posted: the line is imported
    imported,  // an earlier import has posted exactly this line
    moved,     // it has movements: the line is skipped
    own,       // it is a payment that Pawl itself made, or makes
    refused,   // the ledger would not take the entries
};

struct Judgement {
    Standing standing = Standing::open;
    std::string code;    // imported, has_movements, own_payment, account_is_absolute, ...
    std::string detail;  // the condition, for an operator
};
Judgement judge_line(const ImportedPayment& line, const RootState& state);

// Says whether the act `entry_id` has posted the line, and nothing was posted before it.
bool is_posted_by(const std::string& entry_id, const ImportedPayment& line, const RootState& state);

}  // namespace pawl::intents
