// A seed names a run: its payments, their order, and the right balances.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "settings/tests/config_folder.hpp"
#include "tools/send/payments.hpp"
#include "tools/send/plan.hpp"
#include "tools/send/requests.hpp"
#include "tools/send/tally.hpp"
#include "tools/send/target.hpp"

namespace pawl::app {
namespace {

const Time noon(std::chrono::seconds(1767268800));

std::vector<std::size_t> numbers_of(const Plan& plan) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < plan.size(); ++i) numbers.push_back(plan.number_at(i));
    return numbers;
}

Plan plan_of(std::size_t count, unsigned duplicates, bool shuffle, std::uint64_t seed = 1) {
    return Plan({{seed, 10}, count, duplicates, shuffle});
}

// The files as they are shipped, compiled; a test's own where `spoiled` says what replaces what.
providers::Provider shipped(const std::string& name) {
    LoadOptions options;
    options.folder = PAWL_SOURCE_DIR "/config";
    // Deliveries that are made up say that they are of test mode.
    options.variables = [](const std::string& variable) {
        return variable == "PAWL_MODE" ? "test" : "whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cyBvbmx5";
    };
    for (const ProviderFile& file : load(options).settings.providers) {
        if (file.config.name == name) return providers::Provider::create(file.config).value();
    }
    throw std::logic_error("no provider " + name);
}

providers::Outgoing outgoing(const providers::Provider& provider, std::uint64_t seed,
                             std::size_t number) {
    const Payment payment = make_payment({seed, 10}, number);
    return {payment.event_id, wording_for(provider.config()).value()(payment), noon};
}

TEST(Send, TheSameSeedMakesTheSameBytes) {
    for (const char* name : {"demo", "stripe"}) {
        const auto provider = shipped(name);
        const Requests requests(provider, parse_target("http://h:1/webhooks/x").value());
        for (std::size_t number = 0; number < 50; ++number) {
            EXPECT_EQ(requests.make(outgoing(provider, 7, number)),
                      requests.make(outgoing(provider, 7, number)));
        }
    }
    EXPECT_EQ(numbers_of(plan_of(500, 30, true)), numbers_of(plan_of(500, 30, true)));
}

TEST(Send, AnotherSeedMakesOtherEventsForOtherAccounts) {
    std::set<std::string> ids;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        for (std::size_t number = 0; number < 100; ++number) {
            EXPECT_TRUE(ids.insert(make_payment({seed, 10}, number).event_id).second);
        }
    }
    EXPECT_NE(make_payment({1, 10}, 0).account, make_payment({2, 10}, 0).account);
    EXPECT_NE(numbers_of(plan_of(500, 30, true, 1)), numbers_of(plan_of(500, 30, true, 2)));
}

TEST(Send, GeneratedDeliveriesAreReadAsCreditsByTheShippedFiles) {
    for (const char* name : {"demo", "stripe"}) {
        const auto provider = shipped(name);
        const auto sample = outgoing(provider, 7, 12);
        const Requests requests(provider, parse_target("http://h").value());
        const auto fits = requests.try_out(sample);
        EXPECT_TRUE(fits.ok()) << (fits ? "" : fits.error().message);
        providers::Delivery delivery{"POST", "/", *provider.sign(sample), sample.body, noon};
        const auto event = provider.receive(delivery).events.at(0);
        const Payment payment = make_payment({7, 10}, 12);
        EXPECT_EQ(event.event_id.str(), payment.event_id);
        ASSERT_FALSE(event.movements.empty());
        EXPECT_EQ(event.movements.at(0).account.str(), "user:7-3");
        EXPECT_EQ(event.movements.at(0).amount.minor, payment.minor);
    }
}

TEST(Send, AFileThatReadsOtherFieldsIsNamedBeforeAnythingIsSent) {
    test::ConfigFolder folder;
    folder.spoil("amount = \"/amount\"", "amount = \"/money/amount\"");
    const auto provider =
        providers::Provider::create(folder.load().settings.providers.at(0).config).value();
    const Requests requests(provider, parse_target("http://h").value());
    const auto fits = requests.try_out(outgoing(provider, 1, 0));
    ASSERT_FALSE(fits.ok());
    EXPECT_NE(fits.error().message.find("quarantined as bad_amount"), std::string::npos)
        << fits.error().message;
}

TEST(Send, ASchemeWithoutWordingIsRefusedWithAList) {
    providers::ProviderConfig config;
    config.name = "mine";
    config.preset = "adyen";
    EXPECT_EQ(wording_for(config).error().message,
              "no test deliveries are known for provider \"mine\" (scheme adyen); they are for: "
              "standard-webhooks, stripe");
}

TEST(Send, TheShareOfDuplicatesIsExactAndNothingIsLeftOut) {
    for (const unsigned percent : {0U, 1U, 30U, 50U, 99U, 100U}) {
        for (const std::size_t count : {1U, 2U, 7U, 1000U}) {
            const Plan plan = plan_of(count, percent, false);
            const auto again = std::min((count * percent + 50) / 100, count - 1);
            EXPECT_EQ(plan.size(), count);
            EXPECT_EQ(plan.distinct(), count - again);
            const auto numbers = numbers_of(plan);
            EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), plan.distinct());
            EXPECT_EQ(*std::max_element(numbers.begin(), numbers.end()), plan.distinct() - 1);
        }
    }
}

TEST(Send, WithoutShufflingFirstSightsComeInOrderAndRedeliveriesAfterThem) {
    const Plan plan = plan_of(1000, 30, false);
    std::size_t next = 0;
    for (const std::size_t number : numbers_of(plan)) {
        EXPECT_LE(number, next);
        if (number == next) ++next;
    }
}

TEST(Send, ShufflingChangesTheOrderAndNothingElse) {
    auto plain = numbers_of(plan_of(1000, 30, false));
    auto shuffled = numbers_of(plan_of(1000, 30, true));
    EXPECT_NE(plain, shuffled);
    std::sort(plain.begin(), plain.end());
    std::sort(shuffled.begin(), shuffled.end());
    EXPECT_EQ(plain, shuffled);
}

TEST(Send, EachAccountIsNumberedDenselyAndOwedTheSumOfItsPayments) {
    const Plan plan = plan_of(100, 10, true, 3);
    std::map<std::string, std::int64_t> last, owed;
    for (std::size_t number = 0; number < plan.distinct(); ++number) {
        const Payment payment = make_payment({3, 10}, number);
        EXPECT_EQ(payment.sequence, ++last[payment.account]);
        EXPECT_GT(payment.minor, 0);
        owed[payment.account] += payment.minor;
    }
    EXPECT_EQ(plan.expected(), owed);
    EXPECT_EQ(owed.size(), 10U);
}

TEST(Send, PercentilesAreOfTheNearestRank) {
    std::vector<std::uint32_t> latencies;
    EXPECT_EQ(percentile_ms(latencies, 0.99), 0);
    for (std::uint32_t i = 100; i > 0; --i) latencies.push_back(i * 1000);
    EXPECT_EQ(percentile_ms(latencies, 0.5), 50);
    EXPECT_EQ(percentile_ms(latencies, 0.99), 99);
    EXPECT_EQ(percentile_ms(latencies, 1.0), 100);
}

TEST(Send, AnswersAreCountedByWhatTheySay) {
    Tally tally;
    tally.acknowledge({200, R"({"outcome":"applied","duplicate":false})", true, {}}, 5);
    tally.acknowledge({200, R"({"outcome":"applied","duplicate":true})", true, {}}, 5);
    tally.acknowledge({200, "[accepted]", true, {}}, 5);
    tally.refuse({401, R"({"code":"wrong_secret"})", true, {}});
    tally.refuse({404, "not here", true, {}});
    EXPECT_EQ(tally.outcomes,
              (std::map<std::string, std::size_t>{{"applied", 1}, {"acknowledged", 1}}));
    EXPECT_EQ(tally.refused,
              (std::map<std::string, std::size_t>{{"401 wrong_secret", 1}, {"404", 1}}));
    EXPECT_EQ(tally.duplicates, 1U);
    EXPECT_EQ(tally.answered(), 5U);
}

}  // namespace
}  // namespace pawl::app
