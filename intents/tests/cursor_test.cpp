#include "intents/queries/cursor.hpp"

#include <gtest/gtest.h>

#include "base/encoding.hpp"

namespace pawl::intents {
namespace {

TEST(Cursor, IsDecodedAsItWasMadeAndFitsIntoAQuery) {
    const std::vector<std::string> cases[] = {
        {"42"}, {""}, {"", ""}, {"2026-01-01T00:00:00Z", "demo", "evt_\xc3\xa4&=?/+ %"}};
    for (const auto& parts : cases) {
        const std::string cursor = make_cursor(parts);
        EXPECT_EQ(cursor.find_first_of("&=?/+ %"), std::string::npos) << cursor;
        const auto read = read_cursor(cursor, parts.size());
        ASSERT_TRUE(read) << cursor;
        EXPECT_EQ(*read, parts);
        EXPECT_FALSE(read_cursor(cursor, parts.size() + 1)) << "of another list";
    }
}

TEST(Cursor, FromAnotherListIsRefused) {
    for (const std::string& bytes : {std::string("no separator"), std::string("a\x1f\xff\x1f"),
                                     std::string("a\x1f"
                                                 "b\0\x1f",
                                                 5),
                                     std::string("a\x1f"
                                                 "b")}) {
        EXPECT_FALSE(read_cursor(to_base64url(bytes), 2)) << bytes;
    }
    EXPECT_FALSE(read_cursor("%%%", 1));
    EXPECT_FALSE(read_cursor("", 1));
}

}  // namespace
}  // namespace pawl::intents
