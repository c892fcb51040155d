// The shipped workflows and rules with the Stripe driver, and the sandbox as the payment API. Owned
// by a test, for one thread; each has its own database and its own sandbox.
#pragma once

#include <string>

#include "providers/provider.hpp"
#include "sandbox/tests/client.hpp"
#include "tests/integration/paying.hpp"

namespace pawl::workflows {

class SandboxCase : public Paying {
  public:
    void TestBody() override {}

  protected:
    explicit SandboxCase(sandbox::Options options = {});

    // The first attempt at an order of 5000 for the account `user:<order>`.
    payments::Payment start(const std::string& order, const std::string& payment_method,
                            bool manual_capture = false);
    // As the server receives it: signed, verified, read by the shipped rules, committed.
    void deliver(const std::string& event_id, const std::string& body);
    // Moved at the payment API so far: `charged` or `refunded`.
    std::int64_t moved_there(const char* what) const;
    std::int64_t on_account(const std::string& order);

    sandbox::test::Case sandbox_;
    sandbox::test::Client client_;
    providers::Provider provider_;
};

}  // namespace pawl::workflows
