// A numbered stream of events, and an event's place in it. A stream belongs to (books, scope); what
// its numbers may stop is the rule's `order`. Pure values.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "providers/event.hpp"

namespace pawl::ledger {

using StreamKey = std::pair<std::string, std::string>;  // books, scope

struct Stream {
    std::optional<Sequence> last;  // everything up to here has had its turn
    std::optional<Time> gap_since;
    bool touched = false;
};

enum class Turn {
    none,    // the event has no place in a stream
    next,    // it is its turn
    early,   // numbers before it are missing
    passed,  // its number has gone by
};

// Does the event have a place in a stream that somebody keeps?
bool takes_place(const providers::Event& event);

Turn turn_of(const providers::Event& event, const Stream& stream);

// Is it the one after `last`? For all numbers, also the last that there is.
bool follows(Sequence next, Sequence last);

// The number that must come first.
Sequence expected(const providers::Event& event, const Stream& stream);

}  // namespace pawl::ledger
