// An entry asks the ledger to post movements, together or not at all, with its place in a sequence
// and its cause. Events of providers, Pawl's own payments and operators come in as entries, by one
// decision and under the same locks. Values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/money.hpp"

namespace pawl::ledger {

enum class Kind { credit, debit, set_balance };
enum class OrderingPolicy { late_ok, hold, strict };
enum class AmountIs { delta, total };  // total: the running total under the movement's key

// Between an account and another, by default the clearing account of the books.
struct Movement {
    Kind kind = Kind::credit;
    AccountId account{};  // empty: the account that holds the entry's first need now
    Money amount{};
    EffectKey effect_key{};  // of a total without "@" and the total
    AmountIs amount_is = AmountIs::delta;
    AccountId against{};  // the other account; empty: the clearing account of the books
};

enum class Unmet { park, ignore };

// A number in a sequence, and the policy that says which entries it may stop.
struct Ordering {
    OrderingPolicy policy = OrderingPolicy::late_ok;
    std::optional<Sequence> number{};
    // The sequence's scope, in these books; empty: none. A view into the entry's source, which
    // outlives it.
    std::string_view scope{};
    std::optional<Sequence> start = Sequence{1};  // first number that `hold` expects; nullopt: any
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
    std::vector<Movement> movements{};
    Ordering ordering{};
    Cause cause{};
    std::vector<EffectKey> needs{};  // each must have been posted
    Unmet unmet = Unmet::park;
    std::optional<Time> occurred_at{};  // by the provider's clock
    // Root of its payment, where no need says it. A capture's own key does.
    EffectKey payment_key{};
    bool announced = true;  // to subscribers; false where it happened before Pawl
};

}  // namespace pawl::ledger
