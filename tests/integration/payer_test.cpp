// A payment for which the payer must act: the caller is answered at once, with what to do.
#include "payments/idempotency.hpp"
#include "tests/integration/paying.hpp"

namespace pawl::workflows {
namespace {

using testing::Fault;

class PayerActs : public Paying {
  protected:
    const payments::KeyScope scope{"shop", "POST /v1/orders/{order}/payments", "k1"};
    void ask_under_a_key(const payments::Payment& payment) {
        db::in_transaction(session, [&](db::Transaction& transaction) {
            payments::KeyUse use{std::string(32, 'f'),
                                 payment.id,
                                 clock.now() + std::chrono::seconds(10),
                                 clock.now() + std::chrono::hours(720),
                                 {}};
            payments::take_key(transaction, scope, use, clock.now());
        });
    }
    std::optional<payments::StoredAnswer> stored() {
        std::optional<payments::StoredAnswer> answer;
        db::in_transaction(session, [&](db::Transaction& transaction) {
            answer = payments::find_key(transaction, scope)->answer;
        });
        return answer;
    }
};

TEST_F(PayerActs, CallerIsAnsweredAsSoonAsThePayerMustAct) {
    gateway->faults = {Fault::requires_action};
    const auto begun = begin("o1");
    ask_under_a_key(begun);
    rounds();
    ASSERT_EQ(state(begun.id), "requires_action");
    const auto answer = stored();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 202);
    EXPECT_NE(answer->headers.find("Location: /v1/payments/" + begun.id), std::string::npos);
    EXPECT_NE(answer->body.find(R"("state":"requires_action")"), std::string::npos);
    EXPECT_EQ(answer->body.find("redirect"), std::string::npos) << "it may hold secrets";
    EXPECT_EQ(value("SELECT count(*) FROM staged_jobs WHERE payload ->> 'type' = "
                    "'payment.requires_action'"),
              "1");
}

TEST_F(PayerActs, CallerIsAnsweredAsSoonAsThePaymentIsProcessing) {
    gateway->faults = {Fault::processing};
    const auto begun = begin("o1");
    ask_under_a_key(begun);
    rounds();
    const auto answer = stored();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 202);
}

}  // namespace
}  // namespace pawl::workflows
