// A numbered stream of entries, and an entry's place in it. A stream belongs to (books, scope); the
// policy of an entry says which entries its number may stop. Pure values.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "ledger/entry.hpp"

namespace pawl::ledger {

using SequenceKey = std::pair<std::string, std::string>;  // books, scope

struct SequenceState {
    std::optional<Sequence> last;  // everything up to here has had its turn
    std::optional<Time> gap_since;
    bool touched = false;
};

enum class Turn {
    none,    // the entry has no place in a stream
    next,    // it is its turn
    early,   // numbers before it are missing
    passed,  // its number has gone by
};

// Does the entry have a place in a stream whose numbers are kept?
bool takes_place(const Ordering& ordering);

Turn turn_of(const Ordering& ordering, const SequenceState& stream);

// Is it the one after `last`? For all numbers, also the last that there is.
bool follows(Sequence next, Sequence last);

// The number that must come first.
Sequence expected(const Ordering& ordering, const SequenceState& stream);

}  // namespace pawl::ledger
