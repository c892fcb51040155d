// Generator of every order in which two sessions can meet the database, statement by statement, and
// within a statement lock by lock. A session that waits for the other's lock offers no choice.
// Owned by one thread.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/schedule.hpp"
#include "tests/integration/stepped_session.hpp"

namespace pawl::testing {

using Sides = std::array<std::unique_ptr<Stepped>, 2>;

// A database for two sessions that are interleaved, and one that looks what came of it.
class Ground {
  public:
    Ground();

    void clear();  // every table

    TestDatabase database;
    db::Session look = database.owner();  // no gate holds it up
    Sides sides;

  private:
    std::string clearing_;
};

// Steps of two sessions in their order.
class StepLog {
  public:
    void add(std::size_t side, const Step& step);
    const std::string& text() const { return text_; }
    // The same for two runs that differ only in the order of neighbours that commute: which of each
    // two that do not commute was first.
    std::string sense() const;

  private:
    std::array<std::vector<std::pair<std::size_t, Footprint>>, 2> steps_;  // each with its place
    std::size_t count_ = 0;
    std::string text_;
};

// Both sessions have begun; brings them to their end. Expects that neither waits for the other in
// a circle and that neither fails.
StepLog drive(Sides& sides, Schedule& schedule);

struct Seen {
    int schedules = 0;             // without those that showed nothing new
    std::set<std::string> senses;  // of the schedules
};

// Runs `once`, which returns the result of drive(), for each possible schedule, until one fails;
// each on empty tables, as the same names have the same locks in the same order. Prints the number.
Seen in_every_order(const char* name, Ground& ground, Schedule::Leave leave,
                    const std::function<StepLog(Schedule& schedule)>& once);

}  // namespace pawl::testing
