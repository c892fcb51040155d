// Rejected deliveries are kept for an operator, but unauthenticated clients send them: so capped.
#include "intents/deliveries/rejections.hpp"

#include <gtest/gtest.h>

#include "tests/support/database.hpp"

namespace pawl::intents {
namespace {

constexpr std::size_t cap = std::size_t{1} << 20U;

class RejectionsTest : public ::testing::Test {
  protected:
    static Rejection refused(std::size_t header_bytes, std::size_t body_bytes) {
        Rejection made{ProviderName("demo"), {}, "wrong_secret", "127.0.0.1:1"};
        made.delivery.method = "POST";
        made.delivery.url = "/webhooks/demo";
        made.delivery.headers = {{"x", std::string(header_bytes, 'x')}};
        made.delivery.body.assign(body_bytes, 'x');
        made.delivery.received_at = clock.now();
        return made;
    }
    std::string stored(const std::string& what) const {
        return database.value("SELECT coalesce(sum(" + what + "), 0) FROM webhook_deliveries");
    }

    testing::TestDatabase database;
    static inline const SystemClock clock;
    Metrics metrics;
};

TEST_F(RejectionsTest, HeadersAndUrlsCountAsWellAsBodies) {
    Rejections rejections({.bytes_a_day = cap, .queue_max = 2000}, database.options(), metrics);
    rejections.start();
    for (int i = 0; i < 1000; ++i) {
        Rejection one = refused(std::size_t{30} * 1024, 10);
        if (i % 2 == 0) std::swap(one.delivery.headers[0].second, one.delivery.url);
        rejections.record(std::move(one));
    }
    rejections.stop();
    const std::string bytes =
        stored("octet_length(headers) + octet_length(body) + octet_length(url)");
    EXPECT_LE(std::stoul(bytes), cap);
    EXPECT_GT(std::stoul(bytes), cap / 2);
}

TEST_F(RejectionsTest, BodiesAreCutWhenTheyAreTakenAndWaitInBoundedMemory) {
    Rejections rejections({.bytes_a_day = 1000 * cap, .body_bytes = 1000, .queue_bytes = 200'000},
                          database.options(), metrics);
    for (int i = 0; i < 500; ++i) rejections.record(refused(100, cap));
    rejections.start();
    rejections.stop();
    EXPECT_EQ(stored("octet_length(body) / 1000"), stored("1"));
    EXPECT_GT(std::stoul(stored("1")), 50U);
    EXPECT_LT(std::stoul(stored("1")), 200U);
}

}  // namespace
}  // namespace pawl::intents
