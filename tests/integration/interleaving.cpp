#include "tests/integration/interleaving.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace pawl::testing {
namespace {

// Three interruptions find every known kind of lost update between two transactions; "all" leaves
// nothing out and is for a machine with an hour to spare.
std::size_t told_by_the_environment(std::size_t otherwise) {
    const char* wanted = std::getenv("PAWL_INTERLEAVE_SWITCHES");
    if (wanted == nullptr) return otherwise;
    return std::string_view(wanted) == "all" ? SIZE_MAX : std::strtoul(wanted, nullptr, 10);
}

}  // namespace

bool advance(Schedule& schedule) {
    while (!schedule.empty() && schedule.back().taken + 1 >= schedule.back().options) {
        schedule.pop_back();
    }
    if (schedule.empty()) return false;
    ++schedule.back().taken;
    return true;
}

Driver::Driver(Sides& sides, Schedule& schedule, std::size_t switches_max)
    : sides_(sides), schedule_(schedule), switches_max_(told_by_the_environment(switches_max)) {}

bool Driver::run() {
    for (;;) {
        std::vector<std::size_t> ready;
        bool waits = false;
        // First the one that moved: its statement may have released the other.
        for (const std::size_t side : {last_ & 1U, ~last_ & 1U}) {
            const auto state = sides_[side]->settle();
            if (state == Stepped::State::before_statement) ready.push_back(side);
            if (state == Stepped::State::blocked) waits = true;
        }
        if (ready.empty()) return !waits;
        const std::size_t side = ready.size() == 1 ? ready.front() : choose();
        told_ += (side == 0 ? "A:" : "B:") + sides_[side]->next_statement() + " ";
        sides_[side]->step();
        last_ = side;
    }
}

std::size_t Driver::choose() {
    if (at_ == schedule_.size()) {
        const bool may_switch = last_ > 1 || switches_ < switches_max_;
        schedule_.push_back({0, may_switch ? 2U : 1U});
    }
    const bool other = schedule_[at_++].taken == 1;
    if (last_ > 1) return other ? 1 : 0;
    if (other) ++switches_;
    return other ? 1 - last_ : last_;
}

}  // namespace pawl::testing
