// In which order two sessions take their steps: all orders, one after the other, depth first, each
// by running both sessions again from the start. Of schedules that differ only in the order of
// neighbours that commute it takes one ("sleep sets", Godefroid 1996). Knows no database. Owned by
// one thread.
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

    // Which of the two takes its step now. At least one can.
    std::size_t pick(const Steps& next);
    // All that this run can still show was seen in another; it only has to be brought to its end.
    bool redundant() const { return redundant_; }
    // After a run: whether there is one more to do.
    bool advance();

  private:
    // One point where both could go on. The first option is to let the same session continue.
    struct Choice {
        std::string at;
        std::vector<std::size_t> options;
        std::size_t taken = 0;
    };

    std::size_t choose(const Steps& next);

    Leave leave_;
    std::vector<Choice> choices_;
    // Of the run at hand:
    std::size_t at_ = 0;
    std::optional<std::size_t> last_;    // who moved last
    std::optional<std::size_t> asleep_;  // who need not move until something changes for it
    std::size_t switches_ = 0;
    bool redundant_ = false;
};

}  // namespace pawl::testing
