// Tests the mode of an event, and that an event of a mode that is not served has no effect.
#include "providers/tests/sample.hpp"

namespace pawl::providers {
namespace {

ProviderConfig serving(Mode mode) {
    ProviderConfig config = sample::demo();
    config.mode = mode;
    config.read.live = {{"/livemode", {"true"}}};
    return config;
}

std::string saying(const std::string& more) {
    return sample::with(sample::captured, R"("sequence":7)", R"("sequence":7)" + more);
}

constexpr const char* live = R"(,"livemode":true)";
constexpr const char* test = R"(,"livemode":false)";

TEST(Modes, TestEventHasNoEffectInLiveMode) {
    ProviderConfig config = serving(Mode::live);
    config.rules[0].order = OrderingPolicy::hold;
    config.rules[0].signal = "/payment_id";
    const Event event = sample::read(config, saying(test));
    EXPECT_EQ(event.event_id.str(), "evt_1");
    EXPECT_EQ(event.type, "payment.captured");
    EXPECT_EQ(event.note, "test_mode");
    EXPECT_EQ(event.quarantine, "");
    EXPECT_EQ(event.action, Action::ignore);
    EXPECT_TRUE(event.movements.empty());
    EXPECT_FALSE(event.sequence) << "events of the other mode have no number";
    EXPECT_FALSE(event.sequence_rule.dense);
    EXPECT_EQ(event.signal_key, "");
    EXPECT_TRUE(event.jobs.empty());
}

TEST(Modes, EventWithoutTestModeIsLiveInLiveMode) {
    EXPECT_TRUE(sample::read(serving(Mode::live), saying(live)).live);
    EXPECT_FALSE(sample::read(serving(Mode::live), saying(test)).live);
    EXPECT_FALSE(sample::read(serving(Mode::test), saying(test)).live);
    ProviderConfig without = serving(Mode::live);
    without.read.live.clear();
    EXPECT_TRUE(sample::read(without, saying(test)).live);
}

TEST(Modes, UnmatchedTestEventIsIgnoredInLiveMode) {
    ProviderConfig config = serving(Mode::live);
    config.rules.pop_back();
    const std::string body = sample::with(saying(test), "payment.captured", "payment.unheard");
    const Event event = sample::read(config, body);
    EXPECT_EQ(event.quarantine, "");
    EXPECT_EQ(event.note, "test_mode");
}

TEST(Modes, LiveEventIsRefusedInTestMode) {
    const Received received = sample::receive(serving(Mode::test), saying(live));
    EXPECT_EQ(received.verdict, Verdict::live_mode);
    EXPECT_EQ(received.diagnosis, "live_mode");
    ASSERT_EQ(received.events.size(), 1U);
    EXPECT_EQ(received.events[0].quarantine, "live_mode");
    EXPECT_TRUE(received.events[0].movements.empty());
}

TEST(Modes, OneLiveItemRefusesItsWholeBatch) {
    ProviderConfig config = serving(Mode::test);
    config.read.items = "/items";
    const std::string body = R"({"items":[)" + saying(test) + "," + saying(live) + "]}";
    EXPECT_EQ(sample::receive(config, body).verdict, Verdict::live_mode);
}

TEST(Modes, EventOfTheServedModeMovesMoneyInThatModesBooks) {
    const struct {
        Mode mode;
        const char* more;
        const char* effect_key;
    } cases[] = {
        {Mode::live, live, "demo/capture/pay_1"},
        {Mode::test, test, "demo-test/capture/pay_1"},
    };
    for (const auto& one : cases) {
        const Event event = sample::read(serving(one.mode), saying(one.more));
        ASSERT_FALSE(event.movements.empty()) << one.effect_key << event.quarantine;
        EXPECT_EQ(event.movements.at(0).effect_key.str(), one.effect_key);
    }
}

TEST(Modes, FileWithoutLiveHasNoMode) {
    for (const char* more : {live, test, ""}) {
        ProviderConfig config = serving(Mode::test);
        config.read.live.clear();
        const Event event = sample::read(config, saying(more));
        ASSERT_FALSE(event.movements.empty()) << more;
        EXPECT_EQ(event.movements.at(0).effect_key.str(), "demo-test/capture/pay_1");
    }
}

TEST(Modes, MoneyEventWithoutTheModeFieldIsQuarantinedInEitherMode) {
    for (const Mode mode : {Mode::live, Mode::test}) {
        for (const char* more : {"", R"(,"livemode":null)", R"(,"livemode":{"is":true})"}) {
            const Event event = sample::read(serving(mode), saying(more));
            EXPECT_EQ(event.quarantine, "shape_changed") << more;
            EXPECT_TRUE(event.movements.empty()) << more;
        }
        const auto ignored = sample::with(sample::captured, "payment.captured", "payment.seen");
        EXPECT_EQ(sample::read(serving(mode), ignored).quarantine, "");
    }
}

// Resent after the mode was changed, it is the same event and no conflict.
TEST(Modes, EventHasOneFingerprintInEitherMode) {
    ProviderConfig config = serving(Mode::live);
    config.rules[0].needs = {{{"order"}, {"/payment_id"}}};
    const Event ignored = sample::read(config, saying(test));
    config.mode = Mode::test;
    const Event applied = sample::read(config, saying(test));
    EXPECT_EQ(ignored.fingerprint, applied.fingerprint);
    const auto other = sample::with(saying(test), "1050", "1051");
    EXPECT_NE(sample::read(config, other).fingerprint, applied.fingerprint);
}

// Otherwise money that says its mode would be a duplicate of what moved none for hiding it.
TEST(Modes, EventsThatDifferInModeAreNotDuplicates) {
    ProviderConfig config = serving(Mode::live);
    const auto print = [&](const std::string& body) {
        return sample::read(config, body).fingerprint;
    };
    EXPECT_NE(print(saying(live)), print(saying("")));
    EXPECT_NE(print(saying(live)), print(saying(test)));
    EXPECT_NE(print(saying(test)), print(saying("")));
    const std::string said = print(saying(live));
    config.read.live.clear();  // a file that begins to name it finds its events again
    EXPECT_EQ(print(saying(live)), said);
    EXPECT_EQ(print(saying("")), said);
}

}  // namespace
}  // namespace pawl::providers
