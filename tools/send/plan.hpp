// The order of a run's deliveries: first ones, redeliveries, and shuffled if wanted. Made once, the
// same for the same options; then read by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/send/payments.hpp"

namespace pawl::app {

struct PlanOptions {
    PaymentOptions payments;
    std::size_t count = 100;  // deliveries in all, redeliveries included
    unsigned duplicates = 0;  // percent of deliveries that repeat an earlier payment
    bool shuffle = false;
};

class Plan {
  public:
    explicit Plan(const PlanOptions& options);
    std::size_t size() const { return order_.size(); }
    std::size_t distinct() const { return distinct_; }
    std::size_t number_at(std::size_t position) const { return order_[position]; }

    // Expected credit of each account when every payment is posted exactly once.
    std::map<std::string, std::int64_t> expected() const;

  private:
    PaymentOptions payments_;
    std::size_t distinct_ = 0;
    std::vector<std::uint32_t> order_;
};

}  // namespace pawl::app
