#include "tools/send/plan.hpp"

#include <algorithm>
#include <utility>

#include "base/rng.hpp"

namespace pawl::app {
namespace {

// The first delivery of all cannot be a redelivery.
std::size_t redeliveries(const PlanOptions& options) {
    const std::size_t wanted = (options.count * options.duplicates + 50) / 100;
    return std::min(wanted, options.count - 1);
}

}  // namespace

Plan::Plan(const PlanOptions& options) : payments_(options.payments) {
    SeededRng rng(~options.payments.seed);  // not the stream that payment 0 draws from
    std::size_t again = redeliveries(options);
    distinct_ = options.count - again;
    order_.reserve(options.count);
    std::uint32_t seen = 0;
    while (order_.size() < options.count) {
        // Chooses exactly `again` places, spread evenly: each remaining place is as likely as the
        // next.
        const std::size_t left = options.count - order_.size();
        if (seen > 0 && rng.below(left) < again) {
            order_.push_back(static_cast<std::uint32_t>(rng.below(seen)));
            --again;
        } else {
            order_.push_back(seen++);
        }
    }
    if (!options.shuffle) return;
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[rng.below(i)]);
}

std::map<std::string, std::int64_t> Plan::expected() const {
    std::map<std::string, std::int64_t> amounts;
    for (std::size_t number = 0; number < distinct_; ++number) {
        const Payment payment = make_payment(payments_, number);
        amounts[payment.account] += payment.minor;
    }
    return amounts;
}

}  // namespace pawl::app
