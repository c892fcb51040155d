#include "outbound/message_signer.hpp"

#include <gtest/gtest.h>

namespace pawl::outbound {
namespace {

constexpr const char* first = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr const char* second = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

// The vector of the Standard Webhooks libraries.
TEST(MessageSigner, SignsAsTheSpecificationDoes) {
    const auto signer = MessageSigner::create({first});
    ASSERT_TRUE(signer.ok());
    const Time at{std::chrono::milliseconds(1614265330999)};
    const Headers headers =
        signer->sign("msg_p5jXN8AQM9LWM0D4loKWxJek", at, R"({"test": 2432232314})");
    const Headers expected = {
        {"webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"},
        {"webhook-timestamp", "1614265330"},
        {"webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}};
    EXPECT_EQ(headers, expected);
}

TEST(MessageSigner, SignsWithEachSecretSoThatASubscriberMayRotate) {
    const auto signer = MessageSigner::create({second, first});
    ASSERT_TRUE(signer.ok());
    const std::string signatures =
        signer
            ->sign("msg_p5jXN8AQM9LWM0D4loKWxJek", Time{std::chrono::seconds(1614265330)},
                   R"({"test": 2432232314})")[2]
            .second;
    EXPECT_TRUE(signatures.ends_with(" v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
    EXPECT_TRUE(signatures.starts_with("v1,"));
}

TEST(MessageSigner, RefusesAnInvalidSecretWithoutRepeatingIt) {
    const char* wrong[] = {"", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_",
                           "whsec_c2hvcnQ=", "whsec_not base64 at all, not at all"};
    for (const char* secret : wrong) {
        const auto signer = MessageSigner::create({first, secret});
        ASSERT_FALSE(signer.ok()) << secret;
        EXPECT_NE(signer.error().message.find("secret 2"), std::string::npos);
        EXPECT_EQ(signer.error().message.find("base64 at all"), std::string::npos);
    }
    EXPECT_FALSE(MessageSigner::create({}).ok());
}

}  // namespace
}  // namespace pawl::outbound
