#include "ledger/returns.hpp"

#include <algorithm>
#include <tuple>

namespace pawl::ledger {
namespace {

struct Round {
    bool is_return = false;
    bool posted = false;
    bool mine = false;
    std::optional<Time> reported;  // by an event that is not redelivered
};

void close(const Round& round, bool nothing_before, Rounds& into) {
    if (round.mine) {
        into.needs_posting = !round.posted;
        into.returns_nothing = round.is_return && nothing_before;
    }
    if (round.posted || round.mine || (round.is_return && nothing_before)) return;
    (round.is_return ? into.its_return : into.movement) = round.reported;
}

}  // namespace

Rounds rounds_of(std::vector<Mark> marks) {
    // At one time the movement comes before its return.
    std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
        return std::tie(a.at, a.is_return) < std::tie(b.at, b.is_return);
    });
    Rounds rounds;
    std::optional<Round> round;
    bool nothing_before = true;
    for (const Mark& mark : marks) {
        if (round && round->is_return != mark.is_return) {
            close(*round, nothing_before, rounds);
            nothing_before = false;  // the first round is over
            round.reset();
        }
        if (!round) round = Round{mark.is_return, false, false, {}};
        round->posted = round->posted || mark.by == Mark::By::posted;
        round->mine = round->mine || mark.by == Mark::By::mine;
        if (mark.by == Mark::By::report && !round->reported) round->reported = mark.at;
    }
    if (round) close(*round, nothing_before, rounds);
    return rounds;
}

}  // namespace pawl::ledger
