// The shop of the demo: it wants orders paid while everything around it breaks. Twice: as a client
// of Pawl's API, with one idempotency key for each order; and as quick-start code that calls the
// payment API through an SDK and, where that fails, lets the customer try again. Each on its own
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace pawl::app {

struct ShopCounts {
    std::atomic<int> paid{0};
    std::atomic<int> declined{0};
    std::atomic<int> tries{0};
    std::atomic<bool> over{false};  // every order was tried
};

struct ShopOptions {
    int orders = 30;
    std::string pawl_url, api_token;
    std::string sandbox_url, sandbox_key;
    std::string prefix;  // prefix of the orders' names
};

inline constexpr std::int64_t order_minor = 2500;

// Returns when every order is settled, or `stop` was set.
void buy_through_pawl(const ShopOptions& options, ShopCounts& counts,
                      const std::atomic<bool>& stop);
void buy_as_rival(const ShopOptions& options, ShopCounts& counts, const std::atomic<bool>& stop);

}  // namespace pawl::app
