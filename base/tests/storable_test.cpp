#include "base/storable.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace pawl {
namespace {

TEST(Storable, KeepsTextThatCanBeStored) {
    const std::string text = "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n";
    EXPECT_EQ(storable(text), text);
    EXPECT_EQ(storable(""), "");
}

TEST(Storable, ReplacesNulAndBytesThatAreNotUtf8) {
    using std::string_literals::operator""s;
    const std::string mark = "\xef\xbf\xbd";
    EXPECT_EQ(storable("a\0b"s), "a" + mark + "b");
    EXPECT_EQ(storable("a\xff"), "a" + mark);
    EXPECT_EQ(storable("\xe2\x82"), mark + mark);
    EXPECT_EQ(storable("\xed\xa0\x80"), mark + mark + mark) << "a lone surrogate";
}

TEST(Storable, CutsBetweenCharacters) {
    const std::string text = "xx\xe2\x82\xacyy";
    for (std::size_t bytes = 0; bytes <= text.size(); ++bytes) {
        const std::string cut = storable(text, bytes);
        EXPECT_LE(cut.size(), bytes);
        EXPECT_TRUE(json::is_utf8(cut)) << bytes;
        EXPECT_TRUE(text.starts_with(cut)) << bytes;
    }
}

}  // namespace
}  // namespace pawl
