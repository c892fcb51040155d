#include "outbound/keys.hpp"

#include <gtest/gtest.h>

namespace pawl::outbound {
namespace {

TEST(Keys, AreSentAsTheyAreWhereTheGatewayTakesThem) {
    EXPECT_EQ(key_to_send("pay:o-1:1", 255), "pay:o-1:1");
    EXPECT_EQ(key_to_send("pay:o-1:1", 9), "pay:o-1:1");
}

// Made by Python's uuid.uuid5 in the same namespace.
TEST(Keys, BecomeAUuidV5WhereTheyAreTooLongOrNoHeaderCouldCarryThem) {
    EXPECT_EQ(key_to_send("pay:o1:1", 7), "5be86132-a87c-5b89-a16a-e5c5eb0909cc");
    EXPECT_EQ(key_to_send("pay:Bestellung-\xc3\xa4:2", 255),
              "acc7e095-31dd-54c5-90b7-2ca7eed1cbea");
    EXPECT_EQ(uuid_v5(""), "00e60cdf-4465-532f-b02d-fc21667d599f");
    EXPECT_EQ(key_to_send("pay:a b:1", 255).size(), 36U);
    EXPECT_EQ(key_to_send("pay:a\r\nb:1", 255).size(), 36U);
}

}  // namespace
}  // namespace pawl::outbound
