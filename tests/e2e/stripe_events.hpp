// Events and signatures as Stripe makes them, for the tests of the shipped stripe.toml. Free
// functions.
#pragma once

#include <string>
#include <string_view>

#include "base/crypto.hpp"
#include "base/encoding.hpp"
#include "tests/e2e/demo_sender.hpp"

namespace pawl::testing {

inline constexpr std::string_view stripe_secret = "whsec_8d1f0c2b7a6e4f5d9c3b1a0e7f6d5c4b";

// `mode`: what the event says about it, with its comma.
inline constexpr std::string_view of_test_mode = R"("livemode":false,)";
inline constexpr std::string_view of_live_mode = R"("livemode":true,)";

inline std::string stripe_event(const std::string& id, int amount = 5000,
                                std::string_view mode = of_test_mode) {
    return R"({"id":"evt_)" + id + R"(","object":"event","api_version":"2025-03-31.basil",)" +
           R"("type":"payment_intent.succeeded",)" + std::string(mode) +
           R"("data":{"object":{"id":"pi_)" + id +
           R"(","object":"payment_intent","status":"succeeded","currency":"usd","amount":)" +
           std::to_string(amount) + R"(,"amount_received":)" + std::to_string(amount) +
           R"(,"metadata":{"account":"user:)" + id + "\"}}}}";
}

inline std::string seconds_of(Time at) {
    return std::to_string(
        std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count());
}

inline std::string stripe_v1(const std::string& t, const std::string& body,
                             std::string_view secret) {
    return "v1=" + to_hex(crypto::HmacKey(crypto::Hash::sha256, secret).sign(t + "." + body));
}

inline Response post_to_stripe(std::uint16_t port, const std::string& body) {
    const std::string t = seconds_of(now());
    return DemoSender(port, "stripe")
        .post({{"Content-Type", "application/json; charset=utf-8"},
               {"Stripe-Signature", "t=" + t + "," + stripe_v1(t, body, stripe_secret)}},
              body);
}

}  // namespace pawl::testing
