#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace pawl {
namespace {

TEST(Text, OnlyASCIILettersAreComparedWithoutCase) {
    EXPECT_TRUE(equal_ignoring_case("Content-LENGTH", "content-length"));
    EXPECT_TRUE(equal_ignoring_case("", ""));
    EXPECT_FALSE(equal_ignoring_case("content", "content-length"));
    EXPECT_FALSE(equal_ignoring_case("@", "`")) << "32 apart, and no letters";
    EXPECT_FALSE(equal_ignoring_case("\xc4", "\xe4"));
}

TEST(Text, OnlyBlanksAndTabsAreTrimmed) {
    EXPECT_EQ(trimmed(" \ta b\t "), "a b");
    EXPECT_EQ(trimmed("\r\n"), "\r\n");
    EXPECT_EQ(trimmed(" \t"), "");
    EXPECT_EQ(trimmed(""), "");
}

TEST(Text, ANumberIsTheWholeTextAndFits) {
    EXPECT_EQ(to_number<std::int64_t>("-42"), -42);
    EXPECT_EQ(to_number<std::int64_t>("9223372036854775807"), INT64_MAX);
    EXPECT_EQ(to_number<std::uint16_t>("65535"), 65535);
    for (const char* text : {"", " 1", "1 ", "+1", "0x10", "1.0", "9223372036854775808"}) {
        EXPECT_FALSE(to_number<std::int64_t>(text)) << text;
    }
    EXPECT_FALSE(to_number<std::uint16_t>("65536"));
    EXPECT_FALSE(to_number<std::uint16_t>("-1"));
}

TEST(Text, AnEmptyTextIsNone) {
    EXPECT_EQ(if_any(""), std::nullopt);
    EXPECT_EQ(if_any("x"), "x");
}

}  // namespace
}  // namespace pawl
