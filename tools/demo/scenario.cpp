#include "tools/demo/scenario.hpp"

#include <string_view>

#include "base/rng.hpp"

namespace pawl::app {
namespace {

// Percentages of payments that are delivered twice, and that have a second event.
constexpr std::uint64_t redelivered_percent = 30;
constexpr std::uint64_t second_event_percent = 5;
constexpr std::size_t accounts = 20;
constexpr std::string_view second_suffix = "-again";

}  // namespace

Scenario::Scenario(std::uint64_t seed, std::size_t payments)
    : options_{seed, accounts}, payments_(payments) {
    SeededRng rng(seed);
    for (std::size_t i = 0; i < payments; ++i) {
        const Payment payment = make_payment(options_, i);
        expected_minor_ += payment.minor;
        deliveries_.push_back({payment, false, false});
        if (rng.below(100) < redelivered_percent) {
            deliveries_.push_back({payment, true, false});
            ++redeliveries_;
        }
        if (rng.below(100) < second_event_percent) {
            Payment again = payment;
            again.event_id += second_suffix;
            deliveries_.push_back({again, false, true});
            ++second_events_;
        }
    }
    for (std::size_t i = deliveries_.size(); i > 1; --i) {
        std::swap(deliveries_[i - 1], deliveries_[rng.below(i)]);
    }
}

std::string Scenario::account_prefix() const {
    const std::string first = account_name(options_, 0);
    return first.substr(0, first.rfind('-') + 1);
}

std::size_t Scenario::doubled_without(const std::set<std::string>& events) const {
    std::size_t count = 0;
    for (const ScenarioDelivery& delivery : deliveries_) {
        if (!delivery.second_event) continue;
        const std::string& second = delivery.payment.event_id;
        const std::string first = second.substr(0, second.size() - second_suffix.size());
        if (!events.contains(first) && !events.contains(second)) ++count;
    }
    return count;
}

}  // namespace pawl::app
