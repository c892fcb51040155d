#include "ledger/returns.hpp"

#include <algorithm>
#include <tuple>

namespace pawl::ledger {

Rounds rounds_of(std::vector<Mark> marks, const Mark* of) {
    // At one time the movement comes before its return.
    std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
        return std::tie(a.at, a.is_return, a.waits) < std::tie(b.at, b.is_return, b.waits);
    });
    Rounds rounds;
    bool out = false;      // it has moved, and was not returned since
    bool counted = false;  // the return since then, by a report that does not wait
    for (const Mark& mark : marks) {
        if (!mark.is_return) {
            if (!out) ++rounds.moved;
            out = true;
            counted = false;
            continue;
        }
        if (rounds.moved == 0) continue;
        if (!mark.waits && !counted) {
            ++rounds.returned;
            counted = true;
        }
        out = false;
    }
    rounds.first_is_return =
        of != nullptr && std::none_of(marks.begin(), marks.end(), [of](const Mark& mark) {
            return !mark.is_return && mark.at <= of->at;
        });
    return rounds;
}

}  // namespace pawl::ledger
