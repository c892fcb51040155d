#include "tools/demo/story.hpp"

#include <string_view>

#include "base/rng.hpp"

namespace pawl::app {
namespace {

// Percentages of payments that are delivered twice, and that have a second event.
constexpr std::uint64_t redelivered_percent = 30;
constexpr std::uint64_t told_twice_percent = 5;
constexpr std::size_t accounts = 20;
constexpr std::string_view second_suffix = "-again";

}  // namespace

Story::Story(std::uint64_t seed, std::size_t payments)
    : options_{seed, accounts}, payments_(payments) {
    SeededRng rng(seed);
    for (std::size_t i = 0; i < payments; ++i) {
        const Payment payment = make_payment(options_, i);
        expected_minor_ += payment.minor;
        tellings_.push_back({payment, false, false});
        if (rng.below(100) < redelivered_percent) {
            tellings_.push_back({payment, true, false});
            ++redeliveries_;
        }
        if (rng.below(100) < told_twice_percent) {
            Payment again = payment;
            again.event_id += second_suffix;
            tellings_.push_back({again, false, true});
            ++second_events_;
        }
    }
    for (std::size_t i = tellings_.size(); i > 1; --i) {
        std::swap(tellings_[i - 1], tellings_[rng.below(i)]);
    }
}

std::string Story::account_prefix() const {
    const std::string first = account_name(options_, 0);
    return first.substr(0, first.rfind('-') + 1);
}

std::size_t Story::told_twice_without(const std::set<std::string>& events) const {
    std::size_t count = 0;
    for (const Telling& telling : tellings_) {
        if (!telling.second_event) continue;
        const std::string& second = telling.payment.event_id;
        const std::string first = second.substr(0, second.size() - second_suffix.size());
        if (!events.contains(first) && !events.contains(second)) ++count;
    }
    return count;
}

}  // namespace pawl::app
