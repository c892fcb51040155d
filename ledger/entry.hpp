// An entry asks the ledger to post a movement, with its place in a sequence and its cause. Events
// of providers, payments of our own and operators come in as entries, by one decision and under
// the same locks. Values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "base/money.hpp"

namespace pawl::ledger {

enum class Kind { none, credit, debit, set_balance };
enum class OrderingPolicy { late_ok, hold, strict };

// Between an account and another, by default the clearing account of the books; of kind `none`
// nothing moves.
struct Movement {
    Kind kind = Kind::none;
    AccountId account{};
    Money amount{};
    EffectKey effect_key{};
    std::vector<EffectKey> needs{};  // parked until each has been posted
    std::string total_of{};          // not empty: the amount is the running total of this object
    AccountId against{};             // the other account; empty: the clearing account of the books
    std::string payment_key{};  // root of its payment, where neither its key nor a need says it
};

// A number in a sequence, and the policy that says which entries it may stop.
struct Ordering {
    OrderingPolicy policy = OrderingPolicy::late_ok;
    std::optional<Sequence> number{};
    // Of the sequence, in these books; empty: none. Belongs to what the entry was made of, which
    // outlives it.
    std::string_view scope{};
    std::optional<Sequence> start = Sequence{1};  // of `hold`; nullopt: the first that arrives
    bool dense = false;                           // each number takes its place, also by late_ok
};

struct ByEvent {
    ProviderName provider;
    EventId event_id;
};
struct ByPayment {
    std::string payment_id;
};
struct ByRefund {
    std::string refund_id;
};
// An operator's entry, under its reference. A reversal or a correction names the transfer that it
// takes back or replaces.
struct ByOperator {
    std::string entry_id;
    std::string reason;
    std::optional<std::int64_t> reverses{};
    std::optional<std::int64_t> corrects{};
};
using Cause = std::variant<ByEvent, ByPayment, ByRefund, ByOperator>;

struct Entry {
    std::string books;
    Movement movement;
    Ordering ordering;
    Cause cause;
};

}  // namespace pawl::ledger
