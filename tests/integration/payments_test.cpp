// Orders, payments and refunds against a real PostgreSQL, with sessions that get in each other's
// way on purpose.
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "payments/orders.hpp"
#include "payments/payments.hpp"
#include "payments/refunds.hpp"
#include "tests/support/database.hpp"

namespace pawl::payments {
namespace {

const Time now = parse_rfc3339("2026-03-01T12:00:00Z").value();

Order wanted_order(std::int64_t minor = 5000, const std::string& id = "o1") {
    Order order;
    order.id = id;
    order.amount = {minor, Currency::parse("USD").value()};
    order.account = AccountId("user:42");
    order.gateway = "sandbox";
    return order;
}

NewPayment new_payment(const std::string& id) {
    return {id, "pm_1", "sandbox", CorrelationId("c-" + id)};
}

class Payments : public ::testing::Test {
  protected:
    template <class Work>
    auto inside(Work work) {
        db::Session session = database.session();
        return inside(session, work);
    }
    template <class Work>
    static auto inside(db::Session& session, Work work) {
        std::optional<decltype(work(std::declval<db::Transaction&>()))> result;
        db::in_transaction(session, [&](db::Transaction& t) { result.emplace(work(t)); });
        return *result;
    }
    PutResult put(const Order& order, std::optional<std::int64_t> if_match = {}) {
        return inside([&](db::Transaction& t) { return put_order(t, order, if_match, now); });
    }
    Allocated pay(const std::string& payment_id) {
        return inside([&](db::Transaction& t) {
            const auto order = find_order(t, "o1", Lock::row);
            return allocate(t, *order, new_payment(payment_id), now);
        });
    }
    Payment move(const std::string& id, State to, std::int64_t captured = 0) {
        return inside([&](db::Transaction& t) {
            const Payment before = *find_payment(t, id, Lock::row);
            Payment after = before;
            after.state = to;
            after.captured = captured;
            save(t, before, after, now);
            return *find_payment(t, id);
        });
    }
    Payment paid_order(std::int64_t captured) {
        put(wanted_order(captured));
        pay("pay_1");
        return move("pay_1", State::succeeded, captured);
    }
    std::variant<Refund, NotRefundable> refund(const Payment& payment, const std::string& id,
                                               std::int64_t amount) {
        return inside([&](db::Transaction& t) {
            return allocate_refund(t, payment, {id, amount, CorrelationId("c")}, now);
        });
    }
    void move_refund(const std::string& id, RefundState to) {
        inside([&](db::Transaction& t) {
            const Refund before = lock_refund(t, id)->refund;
            Refund after = before;
            after.state = to;
            save(t, before, after, now);
            return true;
        });
    }

    testing::TestDatabase database;
};

TEST_F(Payments, AnOrderIsMadeOnceAndTheSameAgainIsTheSame) {
    EXPECT_EQ(put(wanted_order()).put, Put::created);
    EXPECT_EQ(put(wanted_order()).put, Put::same);
    EXPECT_EQ(put(wanted_order(), 77).put, Put::same)
        << "a change repeated after its answer got lost";
    EXPECT_EQ(put(wanted_order(6000)).put, Put::differs);
    EXPECT_EQ(database.value("SELECT amount::text FROM orders"), "5000");
}

TEST_F(Payments, OrderChangesOnlyForItsCurrentVersion) {
    EXPECT_EQ(put(wanted_order(), 1).put, Put::version_differs) << "there is no order yet";
    put(wanted_order());
    const PutResult changed = put(wanted_order(6000), 1);
    EXPECT_EQ(changed.put, Put::changed);
    EXPECT_EQ(changed.order.version, 2);
    EXPECT_EQ(changed.order.amount.minor, 6000);
    EXPECT_EQ(put(wanted_order(7000), 1).put, Put::version_differs);
}

TEST_F(Payments, AnOrderThatIsBeingPaidDoesNotChange) {
    put(wanted_order());
    pay("pay_1");
    EXPECT_EQ(put(wanted_order(6000), 1).put, Put::payment_live);
    move("pay_1", State::declined);
    EXPECT_EQ(put(wanted_order(6000), 1).put, Put::changed);
}

TEST_F(Payments, TheFirstAttemptIsNumberedOneAndHasItsDerivedKey) {
    put(wanted_order());
    const auto payment = std::get<Payment>(pay("pay_1"));
    EXPECT_EQ(payment.key, "pay:o1:1");
    EXPECT_EQ(payment.attempt, 1);
    EXPECT_EQ(payment.state, State::created);
    EXPECT_EQ(payment.amount, wanted_order().amount);
    EXPECT_EQ(payment.payment_method, "pm_1");
    EXPECT_EQ(inside([](db::Transaction& t) { return find_payment_by_key(t, "pay:o1:1")->id; }),
              "pay_1");
}

TEST_F(Payments, NextAttemptRequiresThePreviousToHaveFailed) {
    put(wanted_order());
    pay("pay_1");
    for (const State state : {State::calling, State::unknown, State::requires_action,
                              State::processing, State::needs_review}) {
        move("pay_1", state);
        EXPECT_EQ(std::get<InTheWay>(pay("pay_2")).payment.id, "pay_1") << to_text(state);
    }
    move("pay_1", State::declined);
    EXPECT_EQ(std::get<Payment>(pay("pay_2")).key, "pay:o1:2");
    move("pay_2", State::succeeded, 5000);
    EXPECT_EQ(std::get<InTheWay>(pay("pay_3")).payment.id, "pay_2");
}

TEST_F(Payments, ConcurrentAllocationsConflict) {
    put(wanted_order());
    for (int round = 1; round <= 20; ++round) {
        std::latch start(4);
        std::atomic<int> made{0}, in_the_way{0};
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                db::Session session = database.session();
                session.connect();
                start.arrive_and_wait();
                const auto got = inside(session, [&](db::Transaction& t) {
                    const auto order = find_order(t, "o1", Lock::row);
                    const std::string id = "p" + std::to_string(round) + "_" + std::to_string(i);
                    return allocate(t, *order, new_payment(id), now);
                });
                ++(std::holds_alternative<Payment>(got) ? made : in_the_way);
            });
        }
        threads.clear();
        EXPECT_EQ(made, 1);
        EXPECT_EQ(in_the_way, 3);
        database.run("UPDATE payments SET state = 'declined'");
    }
    EXPECT_EQ(database.value("SELECT max(attempt) || '/' || count(*) FROM payments"), "20/20");
}

TEST_F(Payments, AMoveBackIsABugAndWritesNothing) {
    put(wanted_order());
    pay("pay_1");
    move("pay_1", State::failed);
    EXPECT_THROW(move("pay_1", State::calling), std::logic_error);
    EXPECT_EQ(database.value("SELECT state FROM payments"), "failed");
}

TEST_F(Payments, StaleReadDoesNotOverwriteANewerState) {
    put(wanted_order());
    pay("pay_1");
    const Payment stale = inside([](db::Transaction& t) { return *find_payment(t, "pay_1"); });
    move("pay_1", State::succeeded, 5000);
    EXPECT_THROW(inside([&](db::Transaction& t) {
                     Payment after = stale;
                     after.state = State::declined;
                     save(t, stale, after, now);
                     return true;
                 }),
                 std::logic_error);
    EXPECT_EQ(database.value("SELECT state FROM payments"), "succeeded");
}

TEST_F(Payments, SecondAttemptThatSucceedsLateLeavesNothingDue) {
    put(wanted_order());
    pay("pay_1");
    move("pay_1", State::declined);
    pay("pay_2");
    move("pay_2", State::succeeded, 5000);
    move("pay_1", State::succeeded, 5000);
    EXPECT_EQ(std::get<InTheWay>(pay("pay_3")).payment.id, "pay_2");
    EXPECT_EQ(database.value("SELECT state || ' ' || captured FROM orders"), "overpaid 10000");
}

TEST_F(Payments, RefundsAreNumberedByTheOrderAndStayWithinTheCapture) {
    const Payment payment = paid_order(5000);
    const auto first = std::get<Refund>(refund(payment, "ref_1", 3000));
    EXPECT_EQ(first.key, "refund:o1:1");
    const auto refused = std::get<NotRefundable>(refund(payment, "ref_2", 2001));
    EXPECT_EQ(refused.code, "refund_exceeds_captured");
    EXPECT_EQ(refused.left, 2000);
    EXPECT_EQ(std::get<Refund>(refund(payment, "ref_3", 2000)).key, "refund:o1:2");
}

TEST_F(Payments, UnknownRefundCountsAndAFailedOneDoesNot) {
    const Payment payment = paid_order(5000);
    refund(payment, "ref_1", 5000);
    for (const RefundState state :
         {RefundState::calling, RefundState::unknown, RefundState::needs_review}) {
        move_refund("ref_1", state);
        EXPECT_EQ(std::get<NotRefundable>(refund(payment, "ref_2", 1)).left, 0) << to_text(state);
    }
    move_refund("ref_1", RefundState::failed);
    EXPECT_EQ(std::get<Refund>(refund(payment, "ref_2", 5000)).n, 2);
}

TEST_F(Payments, ARefundReadWithoutItsLockIsNotWrittenOverWhatMovedMeanwhile) {
    const Payment payment = paid_order(5000);
    refund(payment, "ref_1", 5000);
    move_refund("ref_1", RefundState::calling);
    const Refund stale = inside([](db::Transaction& t) { return *find_refund(t, "ref_1"); });
    move_refund("ref_1", RefundState::succeeded);
    EXPECT_THROW(inside([&](db::Transaction& t) {
                     Refund after = stale;
                     after.state = RefundState::failed;
                     save(t, stale, after, now);
                     return true;
                 }),
                 std::logic_error);
    EXPECT_EQ(database.value("SELECT state FROM refunds"), "succeeded");
}

TEST_F(Payments, OnlyWhatWasPaidCanBeRefunded) {
    put(wanted_order());
    const auto payment = std::get<Payment>(pay("pay_1"));
    for (const State state : {State::calling, State::needs_review, State::canceled}) {
        move("pay_1", state);
        EXPECT_EQ(std::get<NotRefundable>(refund(payment, "r", 1)).code, "payment_not_refundable");
    }
}

// hyperswitch#13182: two concurrent refunds paid out 120 of 100.
TEST_F(Payments, RefundsAtOnceNeverExceedTheCaptureAlsoWhileSomeAreUnknown) {
    const Payment payment = paid_order(10000);
    refund(payment, "ref_unknown", 1000);
    move_refund("ref_unknown", RefundState::unknown);
    std::latch start(8);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            db::Session session = database.session();
            session.connect();
            start.arrive_and_wait();
            for (int k = 0; k < 10; ++k) {
                inside(session, [&](db::Transaction& t) {
                    const std::string id = "r" + std::to_string(i) + "_" + std::to_string(k);
                    return allocate_refund(t, payment, {id, 700 + i, CorrelationId("c")}, now);
                });
            }
        });
    }
    threads.clear();
    const auto sum = std::stoll(database.value("SELECT sum(amount)::text FROM refunds"));
    EXPECT_LE(sum, 10000);
    EXPECT_GT(sum, 10000 - 710) << "what was left was enough for one more";
    EXPECT_EQ(database.value("SELECT max(n) = count(*) FROM refunds"), "t") << "no number twice";
}

}  // namespace
}  // namespace pawl::payments
