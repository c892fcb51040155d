// What an entry does to the books, as a value: decided from what is known, apart from doing it.
// Pure; the tests are a table over it.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "ledger/book.hpp"
#include "ledger/entry.hpp"
#include "ledger/outcome.hpp"

namespace pawl::ledger {

// Money moves; a negative `moved` flows from the account to the other. `late`: a later number was
// seen before; that never stops money.
struct Post {
    bool late = false;
    std::int64_t moved = 0;
    Balance after;
    std::optional<Total> total;          // of the object, where the provider reports totals
    std::optional<Balance> other_after;  // of the other account, where it is none of clearing
};
// The effect is in the books already, posted by another entry with the same content.
struct AlreadyPosted {};
// Waits until the effect that it needs has been posted.
struct Park {
    EffectKey waits_for;
};
// Waits until it is its turn.
struct WaitTurn {
    Sequence waits_for;
};
// Superseded: a newer state is known.
struct Stale {};
// A rule says that it moves nothing, or its amount does (zero_amount).
struct Ignore {
    std::string note;
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

// What an operator may set aside, with a reason.
struct OperatorOverride {
    bool skip_needs = false;
    bool skip_sequence = false;
};

// `book` must hold the balance, stream and total that the entry touches, and whatever is posted of
// its effect key and its needs.
Decision decide(const Entry& entry, Book& book, const OperatorOverride& overrides = {});

// Carries a decision out on the book, and says what became of the entry.
struct Applied {
    Outcome outcome = Outcome::pending;
    std::string note;
    std::optional<EffectKey> waits_for_effect;
    std::optional<Sequence> waits_for_turn;
    std::optional<std::int64_t> moved;  // minor units, always positive
};
Applied apply(const Decision& decision, Entry&& entry, Time now, Book& book);

}  // namespace pawl::ledger
