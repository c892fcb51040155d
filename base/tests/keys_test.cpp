#include "base/keys.hpp"

#include <gtest/gtest.h>

namespace pawl {
namespace {

TEST(Keys, OfCallsContainTheirPurpose) {
    EXPECT_EQ(payment_key("o-1", 1), "pay:o-1:1");
    EXPECT_EQ(payment_key("o:1", 12), "pay:o:1:12");
    EXPECT_EQ(refund_key("o-1", 2), "refund:o-1:2");
    EXPECT_EQ(step_key("evt_1", "capture"), "evt_1:capture");
}

TEST(EffectKeyParts, AreEscapedWhereACharacterSeparatesKeys) {
    struct Case {
        std::string id;
        const char* key;
    };
    const Case cases[] = {
        {"plain-ID_1.2~(x)", "b/capture/plain-ID_1.2~(x)"},
        {"a/b", "b/capture/a%2Fb"},
        {"a:b", "b/capture/a%3Ab"},
        {"a@100", "b/capture/a%40100"},
        {"a#2", "b/capture/a%232"},
        {"50%", "b/capture/50%25"},
        {"a%40", "b/capture/a%2540"},
        {"tab\there\n", "b/capture/tab%09here%0A"},
        {"\x7f", "b/capture/%7F"},
        {"\xc3\xa4 space", "b/capture/\xc3\xa4 space"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(make_effect_key("b", "capture", {c.id}).str(), c.key) << c.id;
    }
    EXPECT_EQ(make_effect_key("b", "k", {"a/b", "c:d", "50%"}).str(), "b/k/a%2Fb:c%3Ad:50%25");
}

}  // namespace
}  // namespace pawl
