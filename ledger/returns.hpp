// The number of postings of a movement and of its return: a refund may succeed, bounce, and succeed
// once more. The number follows from the times of the reports, in whatever order the reports
// arrive. Pure.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.hpp"

namespace pawl::ledger {

// A report of a movement, or of its return.
struct Mark {
    enum class By {
        posted,   // a transfer
        report,   // an event that was a duplicate when it arrived
        waiting,  // a return whose event is going to post it itself
        mine,     // the event that is being decided
    };
    Time at;
    bool is_return = false;
    By by = By::posted;
};

// By time, reports of one kind with none of the other between them are of one movement. A return
// before the first movement returns nothing.
struct Rounds {
    bool needs_posting = false;    // nothing of its round is posted
    bool returns_nothing = false;  // it returns nothing
    // The time of a round that is reported and not posted, and that is not mine.
    std::optional<Time> movement, its_return;
};
Rounds rounds_of(std::vector<Mark> marks);

}  // namespace pawl::ledger
