#include "outbound/address_guard.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <array>
#include <cstring>

namespace pawl::outbound {
namespace {

bool is_public(const std::string& text) {
    if (text.find(':') != std::string::npos) {
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr), 1) << text;
        return why_not_public(reinterpret_cast<const sockaddr&>(v6)).empty();
    }
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    EXPECT_EQ(inet_pton(AF_INET, text.c_str(), &v4.sin_addr), 1) << text;
    return why_not_public(reinterpret_cast<const sockaddr&>(v4)).empty();
}

TEST(AddressGuard, PublicAddressesMayBeCalled) {
    for (const char* text : {"1.1.1.1",
                             "8.8.8.8",
                             "9.255.255.255",
                             "11.0.0.0",
                             "100.63.255.255",
                             "100.128.0.0",
                             "126.255.255.255",
                             "128.0.0.0",
                             "169.253.255.255",
                             "169.255.0.0",
                             "172.15.255.255",
                             "172.32.0.0",
                             "192.0.1.0",
                             "192.0.3.0",
                             "192.88.98.1",
                             "192.167.255.255",
                             "192.169.0.0",
                             "198.17.255.255",
                             "198.20.0.0",
                             "203.0.112.255",
                             "203.0.114.0",
                             "223.255.255.255",
                             "2606:4700:4700::1111",
                             "2a00:1450:4001::1",
                             "2001:200::1",
                             "2001:4860:4860::8888",
                             "2003::1",
                             "3ffe::1"}) {
        EXPECT_TRUE(is_public(text)) << text;
    }
}

TEST(AddressGuard, EveryOtherIpv4AddressMayNot) {
    for (const char* text :
         {"0.0.0.0",         "0.255.255.255",   "10.0.0.0",        "10.255.255.255",
          "100.64.0.0",      "100.127.255.255", "127.0.0.1",       "127.255.255.254",
          "169.254.169.254", "169.254.0.0",     "172.16.0.0",      "172.31.255.255",
          "192.0.0.8",       "192.0.2.1",       "192.88.99.1",     "192.168.0.0",
          "192.168.255.255", "198.18.0.0",      "198.19.255.255",  "198.51.100.1",
          "203.0.113.1",     "224.0.0.1",       "239.255.255.255", "240.0.0.1",
          "255.255.255.255", "168.63.129.16"}) {
        EXPECT_FALSE(is_public(text)) << text;
    }
}

TEST(AddressGuard, NorMayEveryOtherOfIpv6ThoseThatCarryAnIpv4AddressIncluded) {
    for (const char* text : {"::",
                             "::1",
                             "::127.0.0.1",
                             "::ffff:127.0.0.1",
                             "::ffff:8.8.8.8",
                             "::ffff:0:127.0.0.1",
                             "64:ff9b::7f00:1",
                             "64:ff9b:1::1",
                             "100::1",
                             "2001::1",
                             "2001:0:7f00:1::",
                             "2001:10::1",
                             "2001:20::1",
                             "2001:1ff::1",
                             "2001:db8::1",
                             "2002:7f00:1::",
                             "2002:808:808::1",
                             "3fff::1",
                             "3fff:fff::1",
                             "4000::1",
                             "5f00::1",
                             "fc00::1",
                             "fd00:ec2::254",
                             "fe80::1",
                             "febf::1",
                             "fec0::1",
                             "ff02::1",
                             "ffff::1"}) {
        EXPECT_FALSE(is_public(text)) << text;
    }
}

TEST(AddressGuard, AFamilyThatItDoesNotKnowIsRefused) {
    sockaddr other{};
    other.sa_family = AF_UNIX;
    EXPECT_FALSE(why_not_public(other).empty());
    const std::array<std::uint8_t, 5> odd{8, 8, 8, 8, 8};
    EXPECT_FALSE(why_not_public(odd).empty());
}

TEST(AddressGuard, TheMetadataAddressIsNamedForWhatItIs) {
    const std::array<std::uint8_t, 4> metadata{169, 254, 169, 254};
    EXPECT_NE(why_not_public(metadata).find("metadata"), std::string_view::npos);
}

}  // namespace
}  // namespace pawl::outbound
