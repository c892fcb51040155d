// Every order in which two sessions can meet the database, statement by statement. Schedules are
// enumerated depth first by running again from the start: a choice exists where both sessions stand
// before a statement; one that waits for the other's lock offers none. Owned by one thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/stepped_session.hpp"

namespace pawl::testing {

using Sides = std::array<std::unique_ptr<Stepped>, 2>;

// One point where both could go on. The first option is to let the same session continue.
struct Choice {
    std::size_t taken = 0;
    std::size_t options = 2;
};
using Schedule = std::vector<Choice>;

// The next schedule in depth-first order; false after the last.
bool advance(Schedule& schedule);

class Driver {
  public:
    // Each session is interrupted before its time at most so often, or as often as the environment
    // says: PAWL_INTERLEAVE_SWITCHES, a number or "all".
    Driver(Sides& sides, Schedule& schedule, std::size_t switches_max = 3);

    bool run();  // until both have their answers. False: each waited for the other
    const std::string& told() const { return told_; }

  private:
    std::size_t choose();

    Sides& sides_;
    Schedule& schedule_;
    const std::size_t switches_max_;
    std::size_t at_ = 0;
    std::size_t last_ = 2;  // who moved last; 2: neither
    std::size_t switches_ = 0;
    std::string told_;
};

}  // namespace pawl::testing
