// A provider file whose keys are not those of the gateway: its event is quarantined, and the
// payment is credited once, whichever of answer and webhook comes first.
#include "base/keys.hpp"
#include "tests/integration/paying.hpp"

namespace pawl::workflows {
namespace {

using testing::Fault;

struct Crossed {
    const char* name;
    const char* books;
    const char* kind;
    bool of_its_reference;  // or of another payment
};

// The gateway has the books "test" and posts test/capture/<reference>.
const Crossed keys[] = {
    {"OtherBooks", "shop", "capture", true},
    {"OtherKind", "test", "charge", true},
    {"OtherPayment", "test", "capture", false},
};

class CrossedKeys : public Paying, public ::testing::WithParamInterface<Crossed> {
  protected:
    // The provider's event about this payment, as the misconfigured rule reads it.
    intents::EventResult deliver(const payments::Payment& about, const std::string& reference) {
        const Crossed& key = GetParam();
        providers::Event event = testing::event({.id = "evt_crossed", .amount = 5000});
        event.object = reference;
        event.signal_key = about.key;
        event.movements.at(0).effect_key = make_effect_key(
            key.books, key.kind, {key.of_its_reference ? reference : "another_payment"});
        auto submission = testing::deliver({event}, "shop");
        submission.books = key.books;
        return testing::commit(session, {submission})[0][0];
    }
};

using CrossedAccounts = Paying;

TEST_P(CrossedKeys, AfterTheAnswerTheEventIsQuarantinedAndNothingIsCreditedAgain) {
    const auto charged = paid();
    const auto crossed = deliver(charged, payment(charged.id).reference);
    EXPECT_EQ(crossed.outcome, ledger::Outcome::quarantined);
    EXPECT_EQ(crossed.note, "effect_conflict");
    rounds();
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(payment(charged.id).captured, 5000);
    EXPECT_EQ(value("SELECT count(*) FROM transfers"), "1");
    expect_books_hold();
}

// The metadata of the payment were changed at the gateway.
TEST_F(CrossedAccounts, EventThatNamesAnotherAccountOfThePaymentIsQuarantined) {
    const auto charged = paid();
    const auto begun = begin("o2");
    for (const payments::Payment& about : {payment(charged.id), begun}) {
        providers::Event event = testing::event({.id = "evt_" + about.id, .account = "user:9"});
        event.signal_key = about.key;
        event.movements.at(0).effect_key =
            make_effect_key("test", "capture", {gateway->reference_of(about.key)});
        auto submission = testing::deliver({event}, "test");
        submission.books = "test";
        EXPECT_EQ(testing::commit(session, {submission})[0][0].note, "effect_conflict");
    }
    rounds();
    EXPECT_EQ(balance("user:9"), 0);
    EXPECT_EQ(balance(), 10000);
    expect_books_hold();
}

// Until the gateway has named the reference, any payment of its books may be the one.
class CrossedBooks : public CrossedKeys {};

TEST_P(CrossedBooks, BeforeTheAnswerIsKnownTheEventIsQuarantinedAsWell) {
    gateway->faults = {Fault::timeout_after};
    const auto begun = begin("o1");
    rounds();
    ASSERT_EQ(payment(begun.id).captured, 0);
    EXPECT_EQ(deliver(begun, gateway->reference_of(begun.key)).note, "effect_conflict");
    pass_until_settled(begun.id, std::chrono::minutes(5));
    EXPECT_EQ(payment(begun.id).captured, 5000);
    EXPECT_EQ(balance(), 5000);
    EXPECT_EQ(value("SELECT count(*) FROM transfers"), "1");
    expect_books_hold();
}

INSTANTIATE_TEST_SUITE_P(Keys, CrossedKeys, ::testing::ValuesIn(keys),
                         [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(Keys, CrossedBooks, ::testing::ValuesIn(keys, keys + 2),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace pawl::workflows
