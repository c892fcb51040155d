// The callers' own keys against a real PostgreSQL.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "payments/idempotency.hpp"
#include "tests/support/database.hpp"

namespace pawl::payments {
namespace {

using std::chrono::hours;

const Time now = parse_rfc3339("2026-03-01T12:00:00Z").value();
const KeyScope scope{"shop", "POST /v1/orders/{order}/payments", "k1"};
const StoredAnswer created{201, "Location: /v1/payments/pay_1\n", R"({ "amount": 1.10 })"};
const StoredAnswer accepted{202, "", "{}"};

KeyUse use_for(const std::string& subject, Time at = now) {
    return {std::string(32, 'f'), subject, at + std::chrono::seconds(10), at + hours(24), {}};
}

class IdempotencyKeys : public ::testing::Test {
  protected:
    template <class Work>
    auto inside(Work work) {
        db::Session session = database.session();
        std::optional<decltype(work(std::declval<db::Transaction&>()))> result;
        db::in_transaction(session, [&](db::Transaction& t) { result.emplace(work(t)); });
        return *result;
    }
    std::optional<KeyUse> take(const KeyScope& by, const std::string& subject, Time at = now) {
        return inside(
            [&](db::Transaction& t) { return take_key(t, by, use_for(subject, at), at); });
    }

    testing::TestDatabase database;
};

TEST_F(IdempotencyKeys, TheFirstUseTakesAKeyAndTheSecondSeesTheFirst) {
    EXPECT_FALSE(take(scope, "pay_1"));
    const auto taken = take(scope, "pay_2");
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->subject, "pay_1");
    EXPECT_EQ(taken->fingerprint, std::string(32, 'f'));
    EXPECT_EQ(taken->wait_until, now + std::chrono::seconds(10));
    EXPECT_FALSE(taken->answer);
}

TEST_F(IdempotencyKeys, AreApartByPrincipalAndRouteAndText) {
    take(scope, "pay_1");
    EXPECT_FALSE(take({"other", scope.route, scope.key}, "pay_2"));
    EXPECT_FALSE(take({scope.principal, "POST /v1/payments/{payment}/refunds", "k1"}, "ref_1"));
    EXPECT_FALSE(take({scope.principal, scope.route, "K1"}, "pay_3"));
}

TEST_F(IdempotencyKeys, AnAnswerIsKeptByteForByteAndStoredOnce) {
    take(scope, "pay_1");
    const StoredAnswer odd{201, "ETag: \"1\"\n", std::string("{\"b\":1e3, \"a\":1.10}\0\xff", 21)};
    EXPECT_EQ(inside([&](auto& t) { return answer_subject(t, "pay_1", odd, now); }), 1);
    EXPECT_EQ(inside([&](auto& t) { return answer_subject(t, "pay_1", accepted, now); }), 0);
    const auto stored = inside([&](auto& t) { return answer_key(t, scope, accepted, now); });
    EXPECT_EQ(stored.status, 201);
    EXPECT_EQ(stored.headers, odd.headers);
    EXPECT_EQ(stored.body, odd.body);
    EXPECT_EQ(take(scope, "pay_2")->answer->body, odd.body);
}

TEST_F(IdempotencyKeys, A202StaysA202WhenThePaymentSettlesLater) {
    take(scope, "pay_1");
    EXPECT_EQ(inside([&](auto& t) { return answer_key(t, scope, accepted, now); }).status, 202);
    EXPECT_EQ(inside([&](auto& t) { return answer_subject(t, "pay_1", created, now); }), 0);
    EXPECT_EQ(take(scope, "pay_2")->answer->status, 202);
}

TEST_F(IdempotencyKeys, ExpiredKeyIsReusableUnlessItIsUnfinished) {
    const Time later = now + hours(25);
    take(scope, "pay_1");
    EXPECT_EQ(take(scope, "pay_2", later)->subject, "pay_1") << "unfinished: never given up";
    inside([&](auto& t) { return answer_subject(t, "pay_1", created, now); });
    EXPECT_EQ(take(scope, "pay_2", now + hours(23))->subject, "pay_1");
    EXPECT_FALSE(take(scope, "pay_2", later));
    const auto renewed = take(scope, "pay_3", later);
    EXPECT_EQ(renewed->subject, "pay_2");
    EXPECT_FALSE(renewed->answer);
}

TEST_F(IdempotencyKeys, ConcurrentFirstUsesClaimTheKeyOnceAndNoneFails) {
    std::latch start(16);
    std::atomic<int> took{0}, saw{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) {
        threads.emplace_back([&, i] {
            db::Session session = database.session();
            session.connect();
            start.arrive_and_wait();
            db::in_transaction(session, [&](db::Transaction& t) {
                const auto taken = take_key(t, scope, use_for("pay_" + std::to_string(i)), now);
                ++(taken ? saw : took);
            });
        });
    }
    threads.clear();
    EXPECT_EQ(took, 1);
    EXPECT_EQ(saw, 15);
}

}  // namespace
}  // namespace pawl::payments
