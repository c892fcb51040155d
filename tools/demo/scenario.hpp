// The deliveries sent to both receivers, in the same order: payments, redeliveries, second events
// about one payment, shuffled. Made once from a seed; read by several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tools/send/payments.hpp"

namespace pawl::app {

struct ScenarioDelivery {
    Payment payment;
    bool redelivery = false;
    bool second_event = false;  // another event about a payment that already has one
};

class Scenario {
  public:
    Scenario(std::uint64_t seed, std::size_t payments);

    const std::vector<ScenarioDelivery>& deliveries() const { return deliveries_; }
    std::size_t payments() const { return payments_; }
    std::size_t redeliveries() const { return redeliveries_; }
    std::size_t second_events() const { return second_events_; }
    std::int64_t expected_minor() const { return expected_minor_; }
    std::string account_prefix() const;
    // Payments with two events, unless one of the two is in `events`.
    std::size_t doubled_without(const std::set<std::string>& events) const;

  private:
    PaymentOptions options_;
    std::size_t payments_;
    std::size_t redeliveries_ = 0, second_events_ = 0;
    std::int64_t expected_minor_ = 0;
    std::vector<ScenarioDelivery> deliveries_;
};

}  // namespace pawl::app
