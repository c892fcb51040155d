#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace pawl {
namespace {

TEST(Printable, ControlCharactersBecomeEscapesAndLettersStay) {
    const std::pair<const char*, const char*> cases[] = {
        {"evt_1", "evt_1"},
        {"\033]0;title\a", "\\u001b]0;title\\u0007"},
        {"a\nb\tc\r", "a\\u000ab\\u0009c\\u000d"},
        {"\x7f", "\\u007f"},
        {"\xC2\x9B"
         "31m",
         "\\u009b31m"},                                                    // CSI as one character
        {"caf\xC3\xA9 \xF0\x9F\x98\x80", "caf\xC3\xA9 \xF0\x9F\x98\x80"},  // letters
        {"a\xE2\x80\xAE"
         "b",
         "a\\u202eb"},                   // right to left
        {"\xff\xC3", "\\u00ff\\u00c3"},  // no UTF-8
        {"\xC0\x9B", "\\u00c0\\u009b"},  // overlong
        {"back\\slash", "back\\slash"},
    };
    for (const auto& [text, shown] : cases) EXPECT_EQ(printable(text), shown);
    EXPECT_EQ(printable("a\nb\033", "\n"), "a\nb\\u001b");
}

}  // namespace
}  // namespace pawl
