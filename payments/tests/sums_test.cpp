#include "payments/sums.hpp"

#include <gtest/gtest.h>

#include "base/keys.hpp"

namespace pawl::payments {
namespace {

const Currency usd = Currency::parse("USD").value();
const Currency eur = Currency::parse("EUR").value();

Payment payment() {
    Payment payment;
    payment.books = "b";
    payment.reference = "pi_1";
    payment.amount = {5000, usd};
    payment.state = State::processing;
    return payment;
}

RootMovement moved(const char* key, std::int64_t minor, Currency currency = usd) {
    return {EffectKey(key), {minor, currency}};
}

Payment derived(const std::vector<RootMovement>& movements, State before = State::processing,
                bool disputed = false) {
    Payment one = payment();
    one.state = before;
    Sums sums = sum_up(one, movements);
    sums.disputed = disputed;
    derive(one, sums);
    return one;
}

const RootMovement capture = moved("b/capture/pi_1", 5000);

const struct {
    const char* name;
    std::vector<RootMovement> movements;
    State state;
    std::int64_t captured, returned;
    bool disputed = false;
} states[] = {
    {"nothing moved", {}, State::processing, 0, 0},
    {"captured", {capture}, State::succeeded, 5000, 0},
    {"captured in parts",
     {moved("b/capture/pi_1:c1", 3000), moved("b/capture/pi_1:c2", 2000)},
     State::succeeded,
     5000,
     0},
    {"captured as a total that grew",
     {moved("b/capture/pi_1@3000", 3000), moved("b/capture/pi_1@5000", 2000)},
     State::succeeded,
     5000,
     0},
    {"a part refunded",
     {capture, moved("b/refund/re_1", -2000)},
     State::partially_refunded,
     5000,
     2000},
    {"all refunded", {capture, moved("b/refund/re_1", -5000)}, State::refunded, 5000, 5000},
    {"a refund that bounced",
     {capture, moved("b/refund/re_1", -5000), moved("b/refund_failed/re_1", 5000)},
     State::succeeded,
     5000,
     0},
    {"a dispute",
     {capture, moved("b/dispute/dp_1:txn_1", -5000)},
     State::disputed,
     5000,
     5000,
     true},
    {"a dispute that was lost",
     {capture, moved("b/dispute/dp_1:txn_1", -5000)},
     State::refunded,
     5000,
     5000},
    {"a dispute that was won",
     {capture, moved("b/dispute/dp_1:txn_1", -5000), moved("b/dispute/dp_1:txn_2", 5000)},
     State::succeeded,
     5000,
     0},
    {"a return by the bank",
     {capture, moved("b/return/pi_1:EV1", -5000)},
     State::refunded,
     5000,
     5000},
    {"a fee is the merchant's own",
     {capture, moved("b/fee/txn_1", -150)},
     State::succeeded,
     5000,
     0},
    {"a correction of its account",
     {capture, moved("b/capture/pi_1", -5000), moved("b/capture/pi_1", 5000)},
     State::succeeded,
     5000,
     0},
};

TEST(RootSums, StateFollowsFromThemInBothDirections) {
    for (const auto& row : states) {
        const Payment after = derived(row.movements, State::processing, row.disputed);
        EXPECT_EQ(after.state, row.state) << row.name;
        EXPECT_EQ(after.captured, row.captured) << row.name;
        EXPECT_EQ(after.returned, row.returned) << row.name;
    }
    EXPECT_EQ(derived({capture}, State::refunded).state, State::succeeded);
    EXPECT_EQ(derived({capture}, State::declined).state, State::succeeded);
    EXPECT_EQ(derived({}, State::succeeded).state, State::needs_review)
        << "its capture was reversed, and the card was charged";
}

TEST(RootSums, OtherCurrencyNeedsReviewUntilItIsAcceptedOrGoesBack) {
    const RootMovement foreign = moved("b/capture/pi_1", 4500, eur);
    EXPECT_EQ(derived({foreign}).state, State::needs_review);
    EXPECT_EQ(derived({foreign}).captured, 0);
    EXPECT_EQ(derived({foreign}, State::succeeded).state, State::succeeded) << "accepted";
    EXPECT_EQ(derived({foreign, moved("b/refund/re_1", -4500, eur)}).state, State::refunded);
}

TEST(RootSums, RefundFollowsItsOwnMovements) {
    const auto state_after = [](const std::vector<RootMovement>& movements, RefundState before) {
        Refund refund;
        refund.reference = "re_1";
        refund.state = before;
        derive(refund, payment(), sum_up(payment(), movements));
        return refund.state;
    };
    const RootMovement debit = moved("b/refund/re_1", -5000);
    const RootMovement bounce = moved("b/refund_failed/re_1", 5000);
    EXPECT_EQ(state_after({debit}, RefundState::failed), RefundState::succeeded);
    EXPECT_EQ(state_after({debit, bounce}, RefundState::succeeded), RefundState::failed);
    EXPECT_EQ(state_after({debit, bounce, moved("b/refund/re_1#2", -5000)}, RefundState::failed),
              RefundState::succeeded);
    EXPECT_EQ(state_after({}, RefundState::succeeded), RefundState::succeeded);
    EXPECT_EQ(state_after({moved("b/refund/re_2", -5000)}, RefundState::failed),
              RefundState::failed);
}

TEST(RootSums, RefundCountsOnceInTheCeiling) {
    const auto refund = [](const char* reference, std::int64_t amount, RefundState state) {
        Refund one;
        one.reference = reference;
        one.amount = {amount, usd};
        one.state = state;
        return one;
    };
    const RootMovement debit = moved("b/refund/re_1", -2000);
    const auto left = [&](const std::vector<RootMovement>& movements,
                          const std::vector<Refund>& refunds) {
        Payment captured = payment();
        captured.captured = 5000;
        return refundable(captured, sum_up(captured, movements), refunds);
    };
    EXPECT_EQ(left({capture}, {}), 5000);
    EXPECT_EQ(left({capture}, {refund("", 2000, RefundState::calling)}), 3000);
    EXPECT_EQ(left({capture, debit}, {refund("re_1", 2000, RefundState::succeeded)}), 3000);
    EXPECT_EQ(left({capture, debit}, {}), 3000) << "made elsewhere";
    EXPECT_EQ(left({capture}, {refund("", 2000, RefundState::failed)}), 5000);
    EXPECT_EQ(left({capture, debit}, {refund("re_2", 4000, RefundState::unknown)}), 0);
}

}  // namespace
}  // namespace pawl::payments
