// A movement and its return may each happen again: a refund succeeds, bounces, and succeeds once
// more. How often each has to be posted follows from when they were reported, in whatever order
// the reports arrive. Pure.
#pragma once

#include <vector>

#include "base/clock.hpp"

namespace pawl::ledger {

// A report of a movement, or of its return.
struct Mark {
    Time at;
    bool is_return = false;
    bool waits = false;  // a return whose event is going to post it itself
};

// By time, reports of one kind without one of the other between them are of one movement; a return
// before the first movement returns nothing.
struct Rounds {
    int moved = 0;
    int returned = 0;          // of those, without what waits
    bool first_is_return = false;
};
// `of`: a return, whose place decides `first_is_return`.
Rounds rounds_of(std::vector<Mark> marks, const Mark* of = nullptr);

}  // namespace pawl::ledger
