// The invariants about payments and refunds, each against books that break it and nothing else.
#include <gtest/gtest.h>

#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"

namespace pawl::intents {
namespace {

// Order o1, paid with 100 of which 30 were refunded; o2, whose payment has not ended.
constexpr const char* sound_books = R"(
INSERT INTO orders (order_id, amount, currency, account, gateway, created_at, updated_at)
SELECT o, 100, 'USD', 'user:1', 'sandbox', now(), now() FROM unnest(ARRAY['o1', 'o2']) AS o;
INSERT INTO payments (payment_id, order_id, attempt, key, gateway, books, state, amount, currency,
                      account, reference, payment_key, captured, correlation_id, created_at,
                      updated_at)
VALUES ('p1', 'o1', 1, 'pay:o1:1', 'sandbox', 'sandbox', 'partially_refunded', 100, 'USD',
        'user:1', 'pi_1', 'sandbox/capture/pi_1', 100, 'c', now(), now()),
       ('p2', 'o2', 1, 'pay:o2:1', 'sandbox', 'sandbox', 'unknown', 100, 'USD',
        'user:1', NULL, NULL, 0, 'c', now(), now());
INSERT INTO refunds (refund_id, payment_id, order_id, n, key, state, amount, currency, reference,
                     correlation_id, created_at, updated_at)
VALUES ('r1', 'p1', 'o1', 1, 'refund:o1:1', 'succeeded', 30, 'USD', 're_1', 'c', now(), now());
INSERT INTO workflow_runs (workflow, key, signal_key, step, status, wake_at, correlation_id,
                           created_at, updated_at)
VALUES ('charge_order', 'pay:o2:1', 'pay:o2:1', 'look_up', 'running', now(), 'c', now(), now());
INSERT INTO transfers (effect_key, payment_key, debit_account, credit_account, currency, amount,
                       payment_id, refund_id, posted_at)
VALUES ('sandbox/capture/pi_1', 'sandbox/capture/pi_1', 'sandbox:clearing', 'user:1', 'USD', 100,
        'p1', NULL, now()),
       ('sandbox/refund/re_1', 'sandbox/capture/pi_1', 'user:1', 'sandbox:clearing', 'USD', 30,
        NULL, 'r1', now());
INSERT INTO balances (account, currency, amount) VALUES ('user:1', 'USD', 70);
)";

struct Attack {
    const char* name;
    const char* invariant;
    const char* sql;
};

class VerifyPayments : public ::testing::TestWithParam<Attack> {
  protected:
    VerifyPayments() { database.run(sound_books); }
    std::vector<std::string> broken() {
        db::Session session = database.session();
        std::vector<std::string> names;
        for (const Invariant& one : verify(session)) {
            if (!one.breaches.empty()) names.push_back(one.name);
        }
        return names;
    }
    testing::TestDatabase database;
};

TEST_P(VerifyPayments, FindsTheAttack) {
    ASSERT_EQ(broken(), std::vector<std::string>{});
    database.run(GetParam().sql);
    const auto names = broken();
    EXPECT_NE(std::find(names.begin(), names.end(), GetParam().invariant), names.end());
}

INSTANTIATE_TEST_SUITE_P(
    Each, VerifyPayments,
    ::testing::Values(
        Attack{"CreditOfAnotherAmount", "payment_credited_once",
               "UPDATE payments SET captured = 99 WHERE payment_id = 'p1'"},
        Attack{"NoCredit", "payment_credited_once",
               "UPDATE payments SET payment_key = 'sandbox/capture/pi_other' WHERE "
               "payment_id = 'p1'"},
        Attack{"CreditToAnotherAccount", "payment_credited_once",
               "UPDATE payments SET account = 'user:2' WHERE payment_id = 'p1'"},
        Attack{"CapturedPaymentThatIsDeclined", "payment_credited_once",
               "UPDATE payments SET state = 'declined', captured = 0 WHERE "
               "payment_id = 'p1'"},
        Attack{"RefundsAboveTheCapture", "refunds_within_captures",
               "UPDATE refunds SET amount = 101"},
        Attack{"UnknownRefundAboveTheCapture", "refunds_within_captures",
               "UPDATE refunds SET amount = 101, state = 'unknown'"},
        Attack{"SucceededRefundWithoutItsDebit", "refund_has_its_debit",
               "DELETE FROM transfers WHERE refund_id = 'r1'; "
               "UPDATE balances SET amount = 100"},
        Attack{"SucceededRefundOfAnotherAmount", "refund_has_its_debit",
               "UPDATE refunds SET amount = 29"},
        Attack{"SucceededRefundThatWasReturned", "refund_has_its_debit",
               "INSERT INTO transfers (effect_key, payment_key, debit_account, "
               "credit_account, currency, amount, refund_id, posted_at) VALUES "
               "('sandbox/refund_failed/re_1', 'sandbox/capture/pi_1', "
               "'sandbox:clearing', 'user:1', 'USD', 30, 'r1', now()); "
               "UPDATE balances SET amount = 100"},
        Attack{"SecondDebitOfARefund", "refund_has_its_debit",
               "INSERT INTO transfers (effect_key, payment_key, debit_account, "
               "credit_account, currency, amount, refund_id, posted_at) VALUES "
               "('sandbox/refund/re_1#2', 'sandbox/capture/pi_1', 'user:1', "
               "'sandbox:clearing', 'USD', 30, 'r1', now()); "
               "UPDATE balances SET amount = 40"},
        Attack{"RefundFromAnAccountThatDoesNotHoldThePayment", "transfer_has_its_cause",
               "UPDATE transfers SET debit_account = 'user:9' WHERE refund_id = "
               "'r1'"},
        Attack{"TransferOfAnUnknownRefund", "transfer_has_its_cause",
               "UPDATE transfers SET refund_id = 'r9' WHERE refund_id = 'r1'"},
        Attack{"TwoPaymentsOfOneRoot", "movement_has_its_payment",
               "DROP INDEX payments_payment_key; INSERT INTO payments SELECT "
               "(jsonb_populate_record(p, '{\"payment_id\": \"p3\", \"attempt\": "
               "2, \"key\": \"pay:o1:2\"}')).* FROM payments p WHERE payment_id = "
               "'p1'"},
        Attack{"CallsWithoutTheirPrimaryKey", "call_has_one_row",
               "ALTER TABLE external_calls DROP CONSTRAINT external_calls_pkey"},
        Attack{"RunThatWillNotWake", "unfinished_payment_will_wake",
               "ALTER TABLE workflow_runs DROP CONSTRAINT "
               "workflow_runs_unfinished_will_wake; "
               "UPDATE workflow_runs SET wake_at = NULL"},
        Attack{"CaptureWithoutItsCredit", "capture_was_credited",
               "INSERT INTO captures (capture_id, payment_id, n, key, state, amount, "
               "final, correlation_id, created_at, updated_at) VALUES ('cap_1', 'p1', "
               "1, 'capture:o1:1:1', 'succeeded', 101, true, 'c', now(), now())"},
        Attack{"CaptureWithoutARun", "unfinished_payment_will_wake",
               "INSERT INTO captures (capture_id, payment_id, n, key, state, amount, "
               "final, correlation_id, created_at, updated_at) VALUES ('cap_1', 'p1', "
               "1, 'capture:o1:1:1', 'unknown', 100, true, 'c', now(), now())"},
        Attack{"AuthorizationWithoutARun", "unfinished_payment_will_wake",
               "UPDATE payments SET capturable = 10 WHERE payment_id = 'p1'"},
        Attack{"RunThatIsDone", "unfinished_payment_will_wake",
               "UPDATE workflow_runs SET status = 'done', wake_at = NULL"},
        Attack{"NoRun", "unfinished_payment_will_wake", "DELETE FROM workflow_runs"},
        Attack{"RefundWithoutARun", "unfinished_payment_will_wake",
               "UPDATE refunds SET state = 'calling'"},
        Attack{"OrderPaidTwice", "order_paid_once",
               "INSERT INTO payments SELECT (jsonb_populate_record(p, "
               "'{\"payment_id\": \"p3\", \"attempt\": 2, \"key\": \"pay:o1:2\", "
               "\"payment_key\": null}')).* FROM payments p WHERE payment_id = 'p1'"}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace pawl::intents
