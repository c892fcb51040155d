#include "settings/lint/known_senders.hpp"

#include <algorithm>
#include <array>

namespace pawl::app {
namespace {

using providers::Covers;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

constexpr auto full = Covers::full;
constexpr auto partial = Covers::partial;
constexpr auto none = Covers::none;

// preset, window, covers, fetches, major units, shared key, signs the URL
constexpr std::array<KnownSender, 31> senders{{
    {"stripe", days(3), full, false, false, false, false},
    {"standard-webhooks", hours(28), full, false, false, false, false},
    {"svix", hours(28), full, false, false, false, false},
    {"adyen", days(30), full, false, false, false, false},  // its eight fields hold all the money
    {"adyen-platform", days(30), full, false, false, false, false},
    {"paypal", days(3), full, false, true, false, false},
    {"paypal-ipn", days(4), none, true, true, true, false},
    {"square", days(3), full, false, false, false, true},
    {"razorpay", hours(24), full, false, false, false, false},
    {"paystack", hours(72), full, false, false, false, false},
    {"flutterwave-v3", minutes(90), none, false, true, false, false},
    {"flutterwave-v4", minutes(90), full, false, true, false, false},
    {"mollie", hours(26), full, false, true, false, false},
    {"mollie-classic", hours(26), none, true, true, false, false},
    {"gocardless", hours(84), full, false, false, false, false},
    {"checkout", hours(30), full, false, false, false, false},
    {"braintree", hours(24), full, false, true, false, false},
    {"cashfree", hours(84), full, false, true, false, false},
    {"cashfree-vrs", hours(84), full, false, true, false, false},
    {"phonepe-v1", hours(84), full, false, false, false, false},
    {"phonepe-v2", hours(84), none, false, false, false, false},
    {"shopify", hours(48), full, false, true, false, false},
    {"coinbase", days(3), full, false, true, false, false},
    {"wise", hours(370), full, false, true, true, false},
    {"plaid", hours(24), full, false, true, false, false},
    {"xendit", hours(24), none, false, true, false, false},
    {"midtrans", hours(24), partial, false, true, false, false},
    {"klarna", hours(12), full, false, false, false, false},
    {"klarna-legacy", minutes(1), none, true, false, false, false},
    {"twilio", minutes(1), full, false, true, false, true},
    {"github", hours(1), full, false, false, false, false},
}};

}  // namespace

const KnownSender* known_sender(std::string_view preset) {
    const auto found = std::find_if(senders.begin(), senders.end(), [&](const KnownSender& sender) {
        return sender.preset == preset;
    });
    return found == senders.end() ? nullptr : &*found;
}

}  // namespace pawl::app
