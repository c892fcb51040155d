// The decision on an entry, as a value: a pure function of the entry and the loaded books, without
// side effects. The tests are a table over it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ledger/book.hpp"
#include "ledger/entry.hpp"
#include "ledger/outcome.hpp"

namespace pawl::ledger {

// One transfer, or none where a balance is set to its present amount. A negative `moved` flows from
// the account to the other.
struct Step {
    EffectKey key;
    AccountId account;
    Currency currency;
    std::int64_t moved = 0;
    Balance after{};
    AccountId against{};                     // the other account; empty: the clearing account
    std::optional<Balance> against_after{};  // where that is none of clearing
    EffectKey total_of{};
    std::optional<Total> total{};  // the provider's figure, where it reports totals
    EffectKey payment_key{};
    EffectKey returns{};
    std::optional<Time> occurred_at{};
};

// A posted movement that was reported with another time.
struct Report {
    EffectKey key;
    Time at;
};

// A running total that was reported again with a newer number.
struct Confirmed {
    EffectKey total_of;
    Sequence number;
};

// Money moves. `late`: a later number was seen before; that never stops money.
struct Post {
    std::vector<Step> steps;
    std::vector<Report> reports;
    std::vector<Confirmed> confirmed{};
    bool late = false;
};
// Every effect is in the books already, posted by another entry with the same content.
struct AlreadyPosted {
    EffectKey twin;
    std::vector<Report> reports;
    std::vector<Confirmed> confirmed{};
};
// Waits until the effect that it needs has been posted.
struct Park {
    EffectKey waits_for;
};
// Waits until it is its turn.
struct WaitTurn {
    Sequence waits_for;
};
// Superseded: a newer state is known.
struct Stale {
    std::string note{};
};
// A rule says that it moves nothing, its amount does (zero_amount), or there is nothing to return:
// then it is evaluated again when `until` is posted.
struct Ignore {
    std::string note;
    std::optional<EffectKey> until{};
};
struct Quarantine {
    std::string reason;
};
// An operator has closed it, and nothing moves. Its note stays what it was.
struct Dismiss {
    std::string note;
};
using Decision =
    std::variant<Post, AlreadyPosted, Park, WaitTurn, Stale, Ignore, Quarantine, Dismiss>;

// The checks that an operator may skip, with a reason.
struct OperatorOverride {
    bool skip_needs = false;
    bool skip_sequence = false;
    // The check that quarantined it: effect_conflict, total_fell or effect_returned. It is then
    // posted under a new key, with "#" and a number appended.
    std::string check{};
};

inline constexpr const char* nothing_to_return = "nothing_to_return";
inline constexpr const char* total_fell = "total_fell";

// `book` must hold the balances, stream and totals that the entry touches, and whatever is posted
// of its keys and its needs, and below them.
Decision decide(const Entry& entry, Book& book, const OperatorOverride& overrides = {});

// The result of applying a decision.
struct Applied {
    Outcome outcome = Outcome::pending;
    std::string note;
    std::optional<EffectKey> waits_for_effect;
    std::optional<Sequence> waits_for_turn;
    std::optional<std::int64_t> moved;  // by the first movement, in minor units, always positive
    // The first movement's, where they are not the entry's own: the key of a total or of a
    // repetition, the account that holds a need.
    EffectKey effect_key{};
    AccountId account{};
};
// Applies a decision to the book. Returns the entry's outcome.
Applied apply(const Decision& decision, Entry&& entry, Time now, Book& book);

}  // namespace pawl::ledger
