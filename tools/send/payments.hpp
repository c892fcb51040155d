// Generated test payments: each is a pure function of the seed and its number, so that a seed
// determines a whole run and its right balances. Values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.hpp"
#include "providers/config.hpp"

namespace pawl::app {

struct Payment {
    std::string event_id;
    std::string payment_id;
    std::string account;
    std::int64_t minor = 0;     // USD cents
    std::int64_t sequence = 0;  // dense for each account, from 1
    std::int64_t created = 0;   // seconds since 1970; of the seed's own calendar, not of the clock
};

struct PaymentOptions {
    std::uint64_t seed = 1;
    std::size_t accounts = 10;
};

// Accounts carry the seed in their name (user:7-1 of seed 7): another seed's payments go to other
// accounts, where their numbering may begin at 1 again.
std::string account_name(const PaymentOptions& options, std::size_t index);
Payment make_payment(const PaymentOptions& options, std::size_t number);

// Words a payment the way a provider would.
using Wording = std::function<std::string(const Payment&)>;

// Refused where no wording for the provider's scheme is known.
Result<Wording> wording_for(const providers::ProviderConfig& provider);

}  // namespace pawl::app
