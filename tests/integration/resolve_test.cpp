// An operator's `resolve` names a reference: it is compared with the gateway, and with the
// references that other payments hold.
#include "tests/integration/paying.hpp"
#include "workflows/engine/runs.hpp"
#include "workflows/operating.hpp"

namespace pawl::workflows {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::Fault;

class Resolving : public Paying {
  protected:
    // Sent, never answered, and not found after its horizon; executed even so.
    payments::Payment in_review(const std::string& order) {
        gateway->faults = {Fault::timeout_after};
        gateway->lookup_finds = false;
        const auto begun = begin(order);
        rounds();
        let_pass(hours(25));
        pass_until_settled(begun.id, hours(1));
        EXPECT_EQ(state(begun.id), "needs_review");
        gateway->lookup_finds = true;
        return begun;
    }
    Result<RunChange> resolve(const payments::Payment& payment, const std::string& reference) {
        return resolve_call(payment.key, "succeeded", reference);
    }
    std::string credits() { return value("SELECT count(*) FROM transfers"); }
};

TEST_F(Resolving, ReferenceIsLookedUpAndSettledByWhatTheGatewayReports) {
    const auto unclear = in_review("o1");
    ASSERT_TRUE(resolve(unclear, gateway->reference_of(unclear.key)).ok());
    rounds();
    EXPECT_EQ(state(unclear.id), "succeeded");
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

// The wrong id of the right object: the webhook that follows names the right one.
TEST_F(Resolving, ReferenceThatTheGatewayDoesNotFindCreditsNothing) {
    const auto unclear = in_review("o1");
    static_cast<void>(resolve(unclear, "ch_777"));
    rounds();
    EXPECT_EQ(state(unclear.id), "needs_review");
    EXPECT_EQ(credits(), "0");
    webhook("evt_late", unclear);
    rounds();
    EXPECT_EQ(state(unclear.id), "succeeded");
    EXPECT_EQ(credits(), "1");
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

TEST_F(Resolving, ReferenceOfAnotherOrdersPaymentIsRefused) {
    const auto held = paid("o1");
    const auto unclear = in_review("o2");
    const auto refused = resolve(unclear, held.reference);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find(held.id), std::string::npos) << refused.error().message;
    rounds();
    EXPECT_EQ(state(unclear.id), "needs_review");
    EXPECT_EQ(balance(), 5000);
}

// Not yet stored under a payment: only the gateway knows that it is another order's.
TEST_F(Resolving, ReferenceThatCarriesAnotherKeyAtTheGatewayCreditsNothing) {
    const auto first = in_review("o1");
    const auto second = in_review("o2");
    static_cast<void>(resolve(second, gateway->reference_of(first.key)));
    rounds();
    EXPECT_EQ(state(second.id), "needs_review");
    EXPECT_EQ(credits(), "0");
}

TEST_F(Resolving, TwoPaymentsCannotHoldOneReference) {
    const auto held = paid("o1");
    const auto other = in_review("o2");
    EXPECT_THROW(database.run("UPDATE payments SET reference = '" + held.reference +
                              "', payment_key = (SELECT payment_key FROM payments WHERE "
                              "payment_id = '" +
                              held.id + "') WHERE payment_id = '" + other.id + "'"),
                 db::Failure);
}

// As the gateway's answer reports it: another installation's payment, or a restored database.
TEST_F(Resolving, SuccessUnderAReferenceOfAnotherPaymentEndsWithAnOperator) {
    const auto held = paid("o1");
    gateway->faults = {Fault::processing};
    const auto second = begin("o2");
    rounds();
    database.run("UPDATE payments SET reference = NULL, payment_key = NULL WHERE payment_id = '" +
                 second.id + "'");
    signal(second.key, Money{5000, Currency::parse("USD").value()}, held.reference);
    rounds();
    EXPECT_EQ(state(second.id), "needs_review");
    EXPECT_EQ(balance(), 5000);
    expect_books_hold();
}

}  // namespace
}  // namespace pawl::workflows
