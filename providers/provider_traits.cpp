#include "providers/provider_traits.hpp"

#include <algorithm>
#include <array>

namespace pawl::providers {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

constexpr auto full = Covers::full;
constexpr auto partial = Covers::partial;
constexpr auto none = Covers::none;

// name, window, covers, needs a secret, fetches, major units, shared key, signs the URL
constexpr std::array<ProviderTraits, 31> traits{{
    {"stripe", days(3), full, true, false, false, false, false},
    {"standard-webhooks", hours(28), full, true, false, false, false, false},
    {"svix", hours(28), full, true, false, false, false, false},
    {"adyen", days(30), full, true, false, false, false,
     false},  // its eight fields hold all the money
    {"adyen-platform", days(30), full, true, false, false, false, false},
    {"paypal", days(3), full, false, false, true, false, false},
    {"paypal-ipn", days(4), none, false, true, true, true, false},
    {"square", days(3), full, true, false, false, false, true},
    {"razorpay", hours(24), full, true, false, false, false, false},
    {"paystack", hours(72), full, true, false, false, false, false},
    {"flutterwave-v3", minutes(90), none, true, false, true, false, false},
    {"flutterwave-v4", minutes(90), full, true, false, true, false, false},
    {"mollie", hours(26), full, true, false, true, false, false},
    {"mollie-classic", hours(26), none, false, true, true, false, false},
    {"gocardless", hours(84), full, true, false, false, false, false},
    {"checkout", hours(30), full, true, false, false, false, false},
    {"braintree", hours(24), full, true, false, true, false, false},
    {"cashfree", hours(84), full, true, false, true, false, false},
    {"cashfree-vrs", hours(84), full, true, false, true, false, false},
    {"phonepe-v1", hours(84), full, true, false, false, false, false},
    {"phonepe-v2", hours(84), none, true, false, false, false, false},
    {"shopify", hours(48), full, true, false, true, false, false},
    {"coinbase", days(3), full, true, false, true, false, false},
    {"wise", hours(370), full, true, false, true, true, false},
    {"plaid", hours(24), full, false, false, true, false, false},
    {"xendit", hours(24), none, true, false, true, false, false},
    {"midtrans", hours(24), partial, true, false, true, false, false},
    {"klarna", hours(12), full, true, false, false, false, false},
    {"klarna-legacy", minutes(1), none, false, true, false, false, false},
    {"twilio", minutes(1), full, true, false, true, false, true},
    {"github", hours(1), full, true, false, false, false, false},
}};

}  // namespace

std::span<const ProviderTraits> all_traits() {
    return traits;
}

const ProviderTraits* traits_of(std::string_view name) {
    const auto found = std::find_if(traits.begin(), traits.end(),
                                    [&](const ProviderTraits& one) { return one.name == name; });
    return found == traits.end() ? nullptr : &*found;
}

}  // namespace pawl::providers
