#include "tests/integration/schedule.hpp"

#include <algorithm>
#include <stdexcept>

namespace pawl::testing {
namespace {
constexpr std::size_t switches_max = 2;
}

std::size_t Schedule::pick(const Steps& next) {
    std::size_t side = next[0] ? 0 : 1;
    if (redundant_) return side;
    if (next[0] && next[1]) {
        side = choose(next);
    } else if (asleep_ == side) {
        // The other cannot move before this one does, and where it did was seen elsewhere.
        redundant_ = true;
        return side;
    }
    if (asleep_ && !commute(next[*asleep_]->touches, next[side]->touches)) asleep_.reset();
    last_ = side;
    return side;
}

std::size_t Schedule::choose(const Steps& next) {
    if (at_ == choices_.size()) {
        Choice fresh{next[0]->name + "|" + next[1]->name, {}, 0};
        const std::size_t same = last_.value_or(0);
        const bool stay = leave_ == Leave::many_switches && switches_ == switches_max;
        for (const std::size_t side : {same, 1 - same}) {
            if (asleep_ != side && !(stay && side != same)) fresh.options.push_back(side);
        }
        choices_.push_back(std::move(fresh));
    }
    const Choice& choice = choices_[at_++];
    if (choice.at != next[0]->name + "|" + next[1]->name) {
        throw std::runtime_error("the same steps led from " + choice.at + " once, and now to " +
                                 next[0]->name + "|" + next[1]->name);
    }
    // The schedules that begin with the other's step were run: it sleeps until a step that does not
    // commute with it. Then the two have met in a new order.
    if (choice.taken > 0 && leave_ == Leave::what_commutes) asleep_ = choice.options.front();
    if (last_ && choice.taken > 0) ++switches_;
    return choice.options[choice.taken];
}

bool Schedule::advance() {
    at_ = 0;
    last_.reset();
    asleep_.reset();
    redundant_ = false;
    switches_ = 0;
    while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().options.size()) {
        choices_.pop_back();
    }
    if (choices_.empty()) return false;
    ++choices_.back().taken;
    return true;
}

}  // namespace pawl::testing
