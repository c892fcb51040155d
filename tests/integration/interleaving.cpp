#include "tests/integration/interleaving.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace pawl::testing {
namespace {

// PAWL_INTERLEAVE=whole: no test makes do with a part. "plain" leaves nothing out anywhere, not
// even what differs in nothing: for a machine with days to spare.
Schedule::Leave as_the_environment_says(Schedule::Leave leave) {
    const char* set = std::getenv("PAWL_INTERLEAVE");
    const std::string_view wanted = set == nullptr ? "" : set;
    if (wanted == "plain") return Schedule::Leave::nothing;
    const bool part = leave == Schedule::Leave::many_switches;
    return wanted == "whole" && part ? Schedule::Leave::what_commutes : leave;
}

const char* how(Schedule::Leave leave) {
    if (leave == Schedule::Leave::nothing) return "every one";
    if (leave == Schedule::Leave::what_commutes) return "every one that differs";
    return "up to two switches";
}

}  // namespace

Ground::Ground() {
    // Durability is not what is looked at here, and there are thousands of commits.
    db::Statement::run_script(look, "SET synchronous_commit = off");
    Gates::build(database);
    for (auto& side : sides) side = std::make_unique<Stepped>(database);
    clearing_ = database.value(
        "SELECT string_agg('DELETE FROM ' || relname, ';') FROM pg_class WHERE relkind IN "
        "('r', 'p') AND NOT relispartition AND relnamespace = 'pawl'::regnamespace "
        "AND relname NOT IN ('schema_migrations', 'segments')");
}

void Ground::clear() {
    // In whatever order: no foreign key is asked meanwhile.
    db::Statement::run_script(look, "SET session_replication_role = replica;" + clearing_ +
                                        ";RESET session_replication_role");
}

void StepLog::add(std::size_t side, const Step& step) {
    text_ += (side == 0 ? "A:" : "B:") + step.name + " ";
    steps_[side].emplace_back(count_++, step.touches);
}

std::string StepLog::sense() const {
    std::string sense;
    for (const auto& [place_of_a, a] : steps_[0]) {
        for (const auto& [place_of_b, b] : steps_[1]) {
            sense += commute(a, b) ? ' ' : place_of_a < place_of_b ? 'A' : 'B';
        }
        sense += '/';
    }
    return sense;
}

StepLog drive(Sides& sides, Schedule& schedule) {
    StepLog step_log;
    std::array<Trail, 2> trails;
    std::size_t last = 0;
    for (;;) {
        Steps next;
        bool waits = false;
        // First the one that moved: its step may have released the other.
        for (const std::size_t side : {last, 1 - last}) {
            const auto state = sides[side]->settle(*sides[1 - side]);
            if (state == Stepped::State::blocked) waits = true;
            if (state != Stepped::State::before_statement) continue;
            const std::string name = sides[side]->next_statement();
            next[side] = Step{name, trails[side].next(name)};
        }
        if (!next[0] && !next[1]) {
            EXPECT_FALSE(waits) << "each waits for the other after " << step_log.text();
            break;
        }
        last = schedule.pick(next);
        step_log.add(last, *next[last]);
        trails[last].add(next[last]->touches);
        sides[last]->step();
    }
    for (auto& side : sides) EXPECT_EQ(side->error(), "") << step_log.text();
    return step_log;
}

Seen in_every_order(const char* name, Ground& ground, Schedule::Leave leave,
                    const std::function<StepLog(Schedule& schedule)>& once) {
    const Schedule::Leave leaves = as_the_environment_says(leave);
    Schedule schedule(leaves);
    Seen seen;
    do {
        ground.clear();
        const StepLog step_log = once(schedule);
        if (!schedule.redundant()) {
            ++seen.schedules;
            seen.senses.insert(step_log.sense());
        }
    } while (!::testing::Test::HasFailure() && schedule.advance());
    std::printf("  %d schedules of %s: %s; %zu differ\n", seen.schedules, name, how(leaves),
                seen.senses.size());
    if (::testing::Test::HasFailure()) return seen;
    EXPECT_GT(seen.schedules, 1) << "the sessions were not interleaved at all";
    return seen;
}

}  // namespace pawl::testing
