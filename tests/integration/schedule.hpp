// Enumerator of the orders in which two sessions take their steps: all orders, one after the other,
// depth first, each by running both sessions again from the start. From schedules that differ only
// in the order of commuting neighbours it takes one ("sleep sets", Godefroid 1996). Independent of
// the database. Owned by one thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/footprints.hpp"

namespace pawl::testing {

struct Step {
    std::string name;
    Footprint touches;
};
using Steps = std::array<std::optional<Step>, 2>;  // nothing: it waits, or is done

class Schedule {
  public:
    enum class Leave {  // out
        nothing,
        what_commutes,
        // More than two interruptions of a session before its time: a part, for the hurried.
        many_switches,
    };

    explicit Schedule(Leave leave) : leave_(leave) {}

    // Returns the session that takes its step now. At least one can.
    std::size_t pick(const Steps& next);
    // All that this run can still show was seen in another; it only has to be brought to its end.
    bool redundant() const { return redundant_; }
    // After a run: whether there is one more to do.
    bool advance();

  private:
    // A point at which both could continue. The first option is to let the same session continue.
    struct Choice {
        std::string at;
        std::vector<std::size_t> options;
        std::size_t taken = 0;
    };

    std::size_t choose(const Steps& next);

    Leave leave_;
    std::vector<Choice> choices_;
    // State of the current run:
    std::size_t at_ = 0;
    std::optional<std::size_t> last_;    // the side that moved last
    std::optional<std::size_t> asleep_;  // the side that need not move until a step conflicts
    std::size_t switches_ = 0;
    bool redundant_ = false;
};

}  // namespace pawl::testing
