#include "intents/segments/key_filter.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace pawl::intents {
namespace {

std::vector<std::uint64_t> hashes_of(int first, int last) {
    std::vector<std::uint64_t> hashes;
    for (int n = first; n < last; ++n) {
        hashes.push_back(filter_hash({ProviderName("demo"), EventId("evt_" + std::to_string(n))}));
    }
    return hashes;
}

TEST(KeyFilter, NeverDeniesWhatWasAdded) {
    for (const int keys : {0, 1, 2, 42, 43, 1000, 100'000}) {
        const auto hashes = hashes_of(0, keys);
        const KeyFilter filter(7, hashes);
        const auto stored = KeyFilter::from_bytes(filter.to_bytes(), 7);
        ASSERT_TRUE(stored) << keys << ": " << stored.error().message;
        EXPECT_EQ(stored->keys(), keys);
        for (const std::uint64_t hash : hashes) {
            ASSERT_TRUE(filter.may_hold(hash)) << keys;
            ASSERT_TRUE(stored->may_hold(hash)) << keys;
        }
    }
}

TEST(KeyFilter, NeverDeniesWhateverTheHashesAre) {
    constexpr std::uint64_t seed = 20261119;
    SeededRng rng(seed);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::uint64_t> hashes{0, ~std::uint64_t{0}};
        const std::uint64_t keys = rng.below(300);
        for (std::uint64_t n = 0; n < keys; ++n) hashes.push_back(rng.next());
        const KeyFilter filter(1, hashes);
        for (const std::uint64_t hash : hashes) {
            ASSERT_TRUE(filter.may_hold(hash)) << "seed " << seed << " round " << round;
        }
    }
}

TEST(KeyFilter, SaysMaybeToFewerThanOneInAHundredOthers) {
    const KeyFilter filter(1, hashes_of(0, 100'000));
    int maybe = 0;
    for (const std::uint64_t hash : hashes_of(100'000, 200'000)) {
        maybe += filter.may_hold(hash) ? 1 : 0;
    }
    EXPECT_LT(maybe, 1000);
    EXPECT_GT(maybe, 0) << "a filter without a false positive would be a set";
}

TEST(KeyFilter, DistinguishesProviderFromEventId) {
    const auto hash = [](const char* provider, const char* event) {
        return filter_hash({ProviderName(provider), EventId(event)});
    };
    EXPECT_NE(hash("a", "bc"), hash("ab", "c"));
    EXPECT_NE(hash("a", ""), hash("", "a"));
}

// Stored filters are read by later versions.
TEST(KeyFilter, HasTheHashThatItHadWhenTheFirstOnesWereStored) {
    EXPECT_EQ(filter_hash({ProviderName("demo"), EventId("evt_1")}), 7388593664452313818U);
}

TEST(KeyFilter, IsRefusedWhereItsBytesWereChanged) {
    const std::string bytes = KeyFilter(3, hashes_of(0, 50)).to_bytes();
    EXPECT_TRUE(KeyFilter::from_bytes(bytes, 3));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        EXPECT_FALSE(KeyFilter::from_bytes(changed, 3)) << "byte " << at;
    }
    for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
        EXPECT_FALSE(KeyFilter::from_bytes(bytes.substr(0, kept), 3)) << kept << " bytes of it";
    }
    EXPECT_FALSE(KeyFilter::from_bytes(bytes + std::string(64, '\0'), 3));
}

TEST(KeyFilter, IsRefusedForAnotherSegment) {
    const auto other = KeyFilter::from_bytes(KeyFilter(3, hashes_of(0, 50)).to_bytes(), 4);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().message, "the filter is of another segment");
}

}  // namespace
}  // namespace pawl::intents
