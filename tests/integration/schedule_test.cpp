// The enumeration of schedules by itself, on two programs that run nowhere: what it leaves out may
// not end differently from what it takes.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "base/rng.hpp"
#include "tests/integration/schedule.hpp"

namespace pawl {
namespace {

using testing::commute;
using testing::Footprint;
using testing::Schedule;
using testing::Step;
using testing::Steps;
using testing::Trail;
using testing::Use;

// A statement on one of a few things; nothing: commits.
struct Act {
    std::string thing;
    Use use = Use::reads;
};
using Program = std::vector<Act>;

// Two programs on a simulated database: reads return committed values, and a write to a thing that
// the other has written waits for the other's commit.
class World {
  public:
    explicit World(const std::array<Program, 2>& programs) : programs_(programs) {}

    Steps next() const {
        Steps next;
        for (const std::size_t side : {0U, 1U}) {
            if (at_[side] == programs_[side].size() || waits_[side]) continue;
            const Act& act = programs_[side][at_[side]];
            next[side] = act.thing.empty() ? Step{"commit", trails_[side].next("commit")}
                                           : Step{act.thing, {{{act.thing, act.use}}}};
        }
        return next;
    }

    void step(std::size_t side, const Footprint& touches) {
        const Act& act = programs_[side][at_[side]];
        trails_[side].add(touches);
        if (act.thing.empty()) return commit(side);
        const bool taken = act.use == Use::writes && held_[1 - side].contains(act.thing);
        if (taken) waits_[side] = true;
        if (!taken) run(side, act);
    }

    bool stuck() const { return waits_[0] || waits_[1]; }
    // Returns the values that each has read, and the state at the end.
    std::string end() const {
        std::string end = seen_[0] + "|" + seen_[1] + "|";
        for (const auto& [thing, by] : written_) end += thing + "=" + by + " ";
        return end;
    }

  private:
    void run(std::size_t side, const Act& act) {
        ++at_[side];
        if (act.use == Use::writes) held_[side].insert(act.thing);
        if (act.use == Use::appends) return static_cast<void>(added_[side].insert(act.thing));
        seen_[side] += act.thing + "=" + written_[act.thing];
        for (const std::string& row : appended_[act.thing]) seen_[side] += "+" + row;
    }

    void commit(std::size_t side) {
        const std::string me = (side == 0 ? "A" : "B") + std::to_string(at_[side]++);
        for (const std::string& thing : held_[side]) written_[thing] += me;
        for (const std::string& thing : added_[side]) appended_[thing].insert(me);
        held_[side].clear();
        added_[side].clear();
        const std::size_t other = 1 - side;
        if (!std::exchange(waits_[other], false)) return;
        run(other, programs_[other][at_[other]]);
    }

    const std::array<Program, 2>& programs_;
    std::array<std::size_t, 2> at_{};
    std::array<bool, 2> waits_{};
    std::array<std::set<std::string>, 2> held_;   // written, or locked, and not committed
    std::array<std::set<std::string>, 2> added_;  // appended to, and not committed
    std::array<Trail, 2> trails_;
    std::array<std::string, 2> seen_;
    std::map<std::string, std::string> written_;
    std::map<std::string, std::set<std::string>> appended_;
};

struct Found {
    std::set<std::string> ends;
    int schedules = 0;
};

Found run_all(const std::array<Program, 2>& programs, Schedule::Leave leave) {
    Found found;
    Schedule schedule(leave);
    do {
        World world(programs);
        for (Steps next = world.next(); next[0] || next[1]; next = world.next()) {
            const std::size_t side = schedule.pick(next);
            world.step(side, next[side]->touches);
        }
        if (!schedule.redundant()) ++found.schedules;
        found.ends.insert(world.stuck() ? "stuck" : world.end());
    } while (schedule.advance());
    return found;
}

Program random_program(SeededRng& rng) {
    Program program;
    for (std::uint64_t left = 3 + rng.below(4); left > 0; --left) {
        const std::uint64_t which = rng.below(6);
        const std::uint64_t use = rng.below(4);
        if (which == 5) program.push_back({});
        if (which == 5) continue;
        program.push_back({std::string(1, static_cast<char>('p' + which)), use < 2 ? Use::reads
                                                                           : use < 3
                                                                               ? Use::writes
                                                                               : Use::appends});
    }
    program.push_back({});
    return program;
}

TEST(Schedules, TwoThatTouchNothingInCommonNeedOne) {
    const Program one = {{"p", Use::writes}, {"q", Use::reads}, {}};
    const Program other = {{"r", Use::writes}, {"s", Use::reads}, {}};
    EXPECT_EQ(run_all({one, other}, Schedule::Leave::nothing).schedules, 20);
    EXPECT_EQ(run_all({one, other}, Schedule::Leave::what_commutes).schedules, 1);
}

TEST(Schedules, SkippedOnesEndAsTheTakenOnes) {
    const std::uint64_t seed = SecureRng().next();
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRng rng(seed);
    int all = 0;
    int taken = 0;
    for (int round = 0; round < 150; ++round) {
        const std::array<Program, 2> programs = {random_program(rng), random_program(rng)};
        const Found every = run_all(programs, Schedule::Leave::nothing);
        const Found reduced = run_all(programs, Schedule::Leave::what_commutes);
        ASSERT_EQ(reduced.ends, every.ends) << "round " << round;
        all += every.schedules;
        taken += reduced.schedules;
    }
    EXPECT_LT(taken, all / 4) << "hardly any was left out";
}

}  // namespace
}  // namespace pawl
