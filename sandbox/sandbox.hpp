// A payment provider to test against: Stripe's PaymentIntents and refunds, with webhooks, and with
// faults on demand. It stands for a foreign program and shares no knowledge of payments with Pawl.
// Owned by the command or the test that starts it; start and stop once.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "sandbox/options.hpp"

namespace pawl::sandbox {

class Sandbox {
  public:
    Sandbox();
    ~Sandbox();  // stops

    Result<void> start(const Options& options);  // returns when it listens
    void stop();                                 // webhooks not sent by then are dropped
    std::string url() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::sandbox
