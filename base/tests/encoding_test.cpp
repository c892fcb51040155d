#include "base/encoding.hpp"

#include <gtest/gtest.h>

namespace pawl {
namespace {

TEST(Encoding, Base64OfRfc4648GoesBothWays) {
    const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"}};
    for (const auto& [plain, text] : vectors) {
        EXPECT_EQ(to_base64(plain), text);
        EXPECT_EQ(from_base64(text), plain);
    }
    EXPECT_EQ(to_base64url("\xfb\xff\xfe?"), "-__-Pw");
    EXPECT_EQ(from_base64url("-__-Pw"), "\xfb\xff\xfe?");
    EXPECT_EQ(from_base64url("-__-Pw=="), "\xfb\xff\xfe?");
    EXPECT_EQ(from_base64("Zg"), "f");  // all padding left out
}

TEST(Encoding, Base64ThatIsNotExactIsRefused) {
    for (const char* text : {"Zg=", "Z", "Zh==", "Zm9v\n", "Zm 9v", "=",
                             "====", "Zg==Zg==", "-__-Pw", "Zm9v=", "Zm9v====", "Zm9vYg==="}) {
        EXPECT_FALSE(from_base64(text)) << text;
    }
    EXPECT_FALSE(from_base64url("+//+"));
    EXPECT_FALSE(from_base64(std::string("Zm9\0", 4)));
}

TEST(Encoding, HexTakesEitherCaseAndNothingElse) {
    EXPECT_EQ(to_hex(std::string("\0\xaf\xff", 3)), "00afff");
    EXPECT_EQ(from_hex("00AFff"), std::string("\0\xaf\xff", 3));
    EXPECT_EQ(from_hex(""), "");
    for (const char* text : {"0", "0g", "0x00", " 00", "00 ", "é"}) {
        EXPECT_FALSE(from_hex(text)) << text;
    }
}

}  // namespace
}  // namespace pawl
