// `pawl verify` against tampering by SQL, with constraints dropped where they stand in the way: the
// sentences that it proves, each with the tamperings that break it. Each is found and named,
// without
// --deep where the rows are new since the last proof.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "db/chain/writer.hpp"
#include "intents/accept/accept.hpp"
#include "intents/operator/transfer_acts.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"
#include "tests/support/scratch.hpp"

namespace pawl::intents {
namespace {

namespace fs = std::filesystem;

// As the specification states them.
enum class Says {
    balance_is_the_sum,
    applied_has_its_transfers,
    transfer_has_its_cause,
    effect_key_once,
    duplicate_names_an_equal_transfer,
    running_total_is_the_sum,
    captures_sum_to_captured,
    root_has_one_shape,
    root_of_one_payment,
    received_is_the_sum_of_outcomes,
    one_successful_call_a_key,
    order_paid_once,
    refunds_within_captures,
    refund_has_one_debit,
    captured_is_not_lost,
    forced_is_listed,
    parked_need_is_unmet,
    unfinished_has_its_bytes,
    unfinished_will_wake,
    chain_is_unbroken,
    count,
};

struct Tampering {
    friend void PrintTo(const Tampering& one, std::ostream* out) { *out << one.sql; }
    Says says;
    const char* name;
    const char* invariant;
    std::string sql;
    const char* names;  // part of the finding
    bool for_attention = false;
    bool chained_only = false;  // of the hash chain
};

// A transfer that nothing but this statement has made.
std::string forged(const std::string& key, const std::string& root, const std::string& debit,
                   const std::string& credit, const std::string& amount,
                   const std::string& cause = "provider, event_id",
                   const std::string& values = "'demo', 'e1'") {
    return "INSERT INTO transfers (effect_key, payment_key, debit_account, credit_account, "
           "currency, amount, posted_at, " +
           cause + ") VALUES ('" + key + "', " + root + ", '" + debit + "', '" + credit +
           "', 'USD', " + amount + ", now(), " + values + "); ";
}
std::string balance(const std::string& account, int amount) {
    return "UPDATE balances SET amount = " + std::to_string(amount) + " WHERE account = '" +
           account + "'; ";
}
std::string another_payment(const std::string& changes) {
    return "INSERT INTO payments SELECT (jsonb_populate_record(p, '{\"payment_id\": \"p3\", "
           "\"attempt\": 2, \"key\": \"pay:o1:2\"" +
           changes + "}')).* FROM payments p WHERE payment_id = 'p1'; ";
}
std::string capture_row(const std::string& state, int amount) {
    return "INSERT INTO captures (capture_id, payment_id, n, key, state, amount, final, "
           "correlation_id, created_at, updated_at) VALUES ('cap_1', 'p1', 1, 'capture:o1:1:1', '" +
           state + "', " + std::to_string(amount) + ", true, 'c', now(), now()); ";
}
std::string call_row(const std::string& more = "") {
    return "INSERT INTO external_calls (key, key_sent, gateway, operation, run_id, method, path, "
           "content_type, request, outcome, created_at, forced_at) VALUES ('pay:o1:1', 'pay:o1:1', "
           "'sandbox', 'charge', 1, 'POST', '/', '', '', 'succeeded', now(), " +
           (more.empty() ? "NULL" : more) + "); ";
}

const std::string root = "'sandbox/capture/pi_1'";
const std::string user = "user:p", clearing = "sandbox:clearing";
const std::string refund_cause = "refund_id", refund_values = "'r1'";

const std::vector<Tampering> tamperings = {
    {Says::balance_is_the_sum, "BalanceOfAnotherAmount", "balance_is_sum_of_transfers",
     "UPDATE balances SET amount = amount + 1 WHERE account = 'user:1'", "user:1 USD"},
    {Says::balance_is_the_sum, "BalanceThatIsMissing", "balance_is_sum_of_transfers",
     "DELETE FROM balances WHERE account = 'user:1'", "user:1 USD"},
    {Says::balance_is_the_sum, "BalanceWithoutTransfers", "balance_is_sum_of_transfers",
     "INSERT INTO balances VALUES ('ghost', 'USD', 5)", "ghost USD"},
    {Says::balance_is_the_sum, "BalanceInAnotherCurrency", "balance_is_sum_of_transfers",
     "UPDATE balances SET currency = 'EUR' WHERE account = 'user:1'", "user:1"},

    {Says::applied_has_its_transfers, "AppliedWithoutATransfer", "applied_has_its_transfer",
     "DELETE FROM transfers WHERE event_id = 'e1'", "demo/e1"},
    {Says::applied_has_its_transfers, "AppliedWithAnotherAmount", "applied_has_its_transfer",
     "UPDATE transfers SET amount = amount - 1 WHERE event_id = 'e1'", "demo/e1"},
    {Says::applied_has_its_transfers, "AppliedToAnotherAccount", "applied_has_its_transfer",
     "UPDATE transfers SET credit_account = 'user:9' WHERE event_id = 'e1'", "demo/e1"},
    {Says::applied_has_its_transfers, "AppliedInAnotherCurrency", "applied_has_its_transfer",
     "UPDATE transfers SET currency = 'EUR' WHERE event_id = 'e1'", "demo/e1"},
    {Says::applied_has_its_transfers, "AppliedWithoutASecondMovement", "applied_has_its_transfer",
     "UPDATE webhook_intents SET result = '{\"effect_keys\": [\"demo/capture/1\", "
     "\"demo/fee/1\"]}' WHERE event_id = 'e1'",
     "demo/fee/1"},

    {Says::transfer_has_its_cause, "TransferOfAnEventThatIsGone", "transfer_has_its_cause",
     "DELETE FROM webhook_intents WHERE event_id = 'e1'", "demo/capture/1"},
    {Says::transfer_has_its_cause, "TransferOfAnEventThatAppliedNothing", "transfer_has_its_cause",
     forged("demo/capture/7", "'demo/capture/7'", "demo:clearing", "user:7", "1",
            "provider, event_id", "'demo', 'e3'"),
     "demo/capture/7"},
    {Says::transfer_has_its_cause, "TransferOfAnUnknownPayment", "transfer_has_its_cause",
     forged("x/y", "NULL", "demo:clearing", "user:1", "1", "payment_id", "'p'"), "x/y"},
    {Says::transfer_has_its_cause, "TransferOfAnUnknownRefund", "transfer_has_its_cause",
     "UPDATE transfers SET refund_id = 'r9' WHERE refund_id = 'r1'", "sandbox/refund/re_1"},
    {Says::transfer_has_its_cause, "CreditOfAPaymentToAnotherAccount", "transfer_has_its_cause",
     "UPDATE transfers SET credit_account = 'user:9' WHERE payment_id = 'p1'",
     "sandbox/capture/pi_1"},
    {Says::transfer_has_its_cause, "EntryWithoutAnAct", "entry_has_its_act",
     forged("operator/T-2", "NULL", "demo:clearing", "user:1", "1", "entry_id, reason",
            "'T-2', 'none'"),
     "T-2"},
    {Says::transfer_has_its_cause, "EntryWhoseActIsGone", "entry_has_its_act",
     "DELETE FROM audit_log WHERE action = 'transfer.post'", "T-1"},

    {Says::effect_key_once, "EffectPostedTwice", "effect_posted_once",
     "DROP INDEX transfers_effect_key; INSERT INTO transfers (effect_key, debit_account, "
     "credit_account, currency, amount, provider, event_id, posted_at) SELECT effect_key, "
     "debit_account, credit_account, currency, amount, provider, event_id, posted_at FROM "
     "transfers WHERE event_id = 'e1'",
     "transfers_effect_key"},
    {Says::effect_key_once, "IndexThatIsNotUnique", "effect_posted_once",
     "DROP INDEX transfers_effect_key; CREATE INDEX transfers_effect_key ON transfers "
     "(key_hash(effect_key))",
     "transfers_effect_key"},
    {Says::effect_key_once, "IndexOverMoreThanTheKey", "effect_posted_once",
     "DROP INDEX transfers_effect_key; CREATE UNIQUE INDEX transfers_effect_key ON transfers "
     "(key_hash(effect_key || currency))",
     "transfers_effect_key"},
    {Says::effect_key_once, "IndexOfAPart", "effect_posted_once",
     "DROP INDEX transfers_effect_key; CREATE UNIQUE INDEX transfers_effect_key ON transfers "
     "(key_hash(effect_key)) WHERE amount > 1",
     "transfers_effect_key"},
    {Says::effect_key_once, "IndexOverTheRow", "effect_posted_once",
     "DROP INDEX transfers_effect_key; CREATE UNIQUE INDEX transfers_effect_key ON transfers "
     "(key_hash(effect_key), id)",
     "transfers_effect_key"},
    {Says::effect_key_once, "HashOfAnotherKind", "effect_posted_once",
     "CREATE OR REPLACE FUNCTION key_hash(key text) RETURNS bytea LANGUAGE sql IMMUTABLE "
     "STRICT PARALLEL SAFE RETURN decode(md5(key), 'hex')",
     "transfers_effect_key"},

    {Says::duplicate_names_an_equal_transfer, "DuplicateOfAnotherAmount",
     "duplicate_effect_names_its_twin",
     "UPDATE webhook_intents SET amount = 7 WHERE event_id = 'e3'", "demo/e3"},
    {Says::duplicate_names_an_equal_transfer, "DuplicateInAnotherCurrency",
     "duplicate_effect_names_its_twin",
     "UPDATE webhook_intents SET currency = 'EUR' WHERE event_id = 'e3'", "demo/e3"},
    {Says::duplicate_names_an_equal_transfer, "DuplicateOfNothing",
     "duplicate_effect_names_its_twin",
     "UPDATE webhook_intents SET effect_key = 'demo/capture/none' WHERE event_id = 'e3'",
     "demo/e3"},
    {Says::duplicate_names_an_equal_transfer, "DuplicateOfAnotherTotal",
     "duplicate_effect_names_its_twin",
     "UPDATE webhook_intents SET effect_key = 'demo/capture/t@99' WHERE event_id = 't3'",
     "demo/t3"},

    {Says::running_total_is_the_sum, "TotalOfAnotherAmount", "running_total_is_sum_of_transfers",
     "UPDATE running_totals SET total = total - 1", "demo/capture/t"},
    {Says::running_total_is_the_sum, "TotalThatIsMissing", "running_total_is_sum_of_transfers",
     "DELETE FROM running_totals", "demo/capture/t"},
    // As two deliveries at the same moment would leave it, if nothing kept them apart.
    {Says::running_total_is_the_sum, "StepOfATotalPostedTwice", "running_total_is_sum_of_transfers",
     "INSERT INTO transfers (effect_key, debit_account, credit_account, currency, amount, "
     "provider, event_id, posted_at) SELECT 'demo/capture/t@140', debit_account, "
     "credit_account, currency, amount, provider, event_id, posted_at FROM transfers WHERE "
     "effect_key = 'demo/capture/t@100'",
     "demo/capture/t"},

    {Says::captures_sum_to_captured, "CapturedOfAnotherAmount", "payment_credited_once",
     "UPDATE payments SET captured = 99 WHERE payment_id = 'p1'", "payment p1"},
    {Says::captures_sum_to_captured, "CreditOfAnotherAmount", "payment_credited_once",
     "UPDATE transfers SET amount = 90 WHERE payment_id = 'p1'; " + balance(user, 60),
     "payment p1"},
    {Says::captures_sum_to_captured, "NoCredit", "payment_credited_once",
     "UPDATE payments SET payment_key = 'sandbox/capture/pi_other' WHERE payment_id = 'p1'",
     "payment p1"},
    {Says::captures_sum_to_captured, "CreditToAnotherAccount", "payment_credited_once",
     "UPDATE payments SET account = 'user:2' WHERE payment_id = 'p1'", "payment p1"},
    {Says::captures_sum_to_captured, "CorrectionOfItsAmount", "payment_credited_once",
     forged("operator/K", root, clearing, user, "90", "entry_id, reason, corrects",
            "'K', 'none', (SELECT id FROM transfers WHERE payment_id = 'p1')"),
     "payment p1"},
    {Says::captures_sum_to_captured, "CaptureWithoutItsCredit", "capture_was_credited",
     capture_row("succeeded", 101), "payment p1"},

    {Says::root_has_one_shape, "TotalBesideOneCapture", "payment_has_one_shape",
     "UPDATE transfers SET effect_key = 'demo/capture/1@100', payment_key = 'demo/capture/2' "
     "WHERE effect_key = 'demo/capture/1'; UPDATE transfers SET effect_key = 'demo/capture/1' "
     "WHERE effect_key = 'demo/capture/2'",
     "demo/capture/1"},
    {Says::root_has_one_shape, "CaptureUnderAnIdBesideOne", "payment_has_one_shape",
     forged("sandbox/capture/pi_1:a", root, clearing, user, "1"), "sandbox/capture/pi_1"},

    {Says::root_of_one_payment, "MovementWithoutARoot", "movement_has_its_payment",
     "UPDATE transfers SET payment_key = NULL WHERE effect_key = 'demo/capture/1'",
     "demo/capture/1"},
    {Says::root_of_one_payment, "MovementOfAnotherRoot", "movement_has_its_payment",
     "UPDATE transfers SET payment_key = 'demo/capture/2' WHERE effect_key = 'demo/capture/1'",
     "demo/capture/1"},
    {Says::root_of_one_payment, "ReturnUnderNoRoot", "movement_has_its_payment",
     "UPDATE transfers SET payment_key = 'sandbox/refund/re_1' WHERE refund_id = 'r1'",
     "sandbox/refund/re_1"},
    {Says::root_of_one_payment, "TwoPaymentsOfOneRoot", "movement_has_its_payment",
     "DROP INDEX payments_payment_key; " + another_payment(""), "p1, p3"},

    {Says::received_is_the_sum_of_outcomes, "OutcomeThatDoesNotFit", "received_is_sum_of_outcomes",
     "ALTER TABLE webhook_intents DROP CONSTRAINT webhook_intents_status_fits_outcome; UPDATE "
     "webhook_intents SET outcome = 'applied' WHERE status = 'quarantined'",
     "webhook_intents_status_fits_outcome"},
    {Says::received_is_the_sum_of_outcomes, "OutcomeThatIsNone", "received_is_sum_of_outcomes",
     "ALTER TABLE webhook_intents DROP CONSTRAINT webhook_intents_outcome_known; ALTER TABLE "
     "webhook_intents DROP CONSTRAINT webhook_intents_status_fits_outcome; UPDATE "
     "webhook_intents SET outcome = 'lost' WHERE event_id = 'e1'",
     "webhook_intents_outcome_known"},
    {Says::received_is_the_sum_of_outcomes, "EventWithTwoRows", "event_has_one_row",
     "ALTER TABLE webhook_intents DROP CONSTRAINT webhook_intents_pkey", "webhook_intents_pkey"},

    {Says::one_successful_call_a_key, "CallsWithoutTheirPrimaryKey", "call_has_one_row",
     "ALTER TABLE external_calls DROP CONSTRAINT external_calls_pkey", "external_calls_pkey"},
    {Says::one_successful_call_a_key, "KeyWithTwoResults", "call_has_one_row",
     "ALTER TABLE external_calls DROP CONSTRAINT external_calls_pkey; " + call_row() + call_row(),
     "external_calls_pkey"},

    {Says::order_paid_once, "OrderPaidTwice", "order_paid_once",
     another_payment(", \"payment_key\": null"), "order o1", true},

    {Says::refunds_within_captures, "RefundAboveTheCapture", "refunds_within_captures",
     "UPDATE refunds SET amount = 101", "payment p1"},
    {Says::refunds_within_captures, "UnknownRefundAboveTheCapture", "refunds_within_captures",
     "UPDATE refunds SET amount = 101, state = 'unknown'", "payment p1"},
    {Says::refunds_within_captures, "RefundOfTheProviderAboveTheCapture",
     "returned_within_captures",
     forged("demo/refund/x", "'demo/capture/1'", "user:1", "demo:clearing", "101"),
     "demo/capture/1", true},
    {Says::refunds_within_captures, "DisputeAboveTheCapture", "returned_within_captures",
     forged("sandbox/dispute/d:1", root, user, clearing, "71"), "sandbox/capture/pi_1", true},
    {Says::refunds_within_captures, "BounceOfNothing", "returned_within_captures",
     forged("demo/refund_failed/x", "'demo/capture/1'", "demo:clearing", "user:1", "1"),
     "demo/capture/1", true},

    {Says::refund_has_one_debit, "RefundWithoutItsDebit", "refund_has_its_debit",
     "DELETE FROM transfers WHERE refund_id = 'r1'; " + balance(user, 100), "refund r1"},
    {Says::refund_has_one_debit, "RefundOfAnotherAmount", "refund_has_its_debit",
     "UPDATE refunds SET amount = 29", "refund r1"},
    {Says::refund_has_one_debit, "RefundThatWasReturned", "refund_has_its_debit",
     forged("sandbox/refund_failed/re_1", root, clearing, user, "30", refund_cause, refund_values) +
         balance(user, 100),
     "refund r1"},
    {Says::refund_has_one_debit, "SecondDebitOfARefund", "refund_has_its_debit",
     forged("sandbox/refund/re_1#2", root, user, clearing, "30", refund_cause, refund_values) +
         balance(user, 40),
     "refund r1"},
    {Says::refund_has_one_debit, "DebitInTwoParts", "refund_has_its_debit",
     "UPDATE transfers SET amount = 15 WHERE refund_id = 'r1'; " +
         forged("sandbox/refund/re_1#2", root, user, clearing, "15", refund_cause, refund_values),
     "refund r1"},
    {Says::refund_has_one_debit, "DebitOfAnotherAccount", "transfer_has_its_cause",
     "UPDATE transfers SET debit_account = 'user:9' WHERE refund_id = 'r1'", "sandbox/refund/re_1"},

    {Says::captured_is_not_lost, "CapturedPaymentThatIsDeclined", "payment_credited_once",
     "UPDATE payments SET state = 'declined', captured = 0 WHERE payment_id = 'p1'", "payment p1"},
    {Says::captured_is_not_lost, "DeclinedWithItsCapture", "payment_credited_once",
     "UPDATE payments SET state = 'declined' WHERE payment_id = 'p1'", "payment p1"},
    {Says::captured_is_not_lost, "FailedWithItsCapture", "payment_credited_once",
     "UPDATE payments SET state = 'failed' WHERE payment_id = 'p1'", "payment p1"},
    {Says::captured_is_not_lost, "CanceledWithItsCapture", "payment_credited_once",
     "UPDATE payments SET state = 'canceled' WHERE payment_id = 'p1'", "payment p1"},

    {Says::forced_is_listed, "ForcedAndNotConfirmed", "resolved_by_force", call_row("now()"),
     "pay:o1:1", true},

    {Says::parked_need_is_unmet, "NeedThatWasPosted", "parked_need_is_unmet",
     forged("demo/capture/9", "'demo/capture/9'", "demo:clearing", "user:1", "1"), "demo/r1"},
    {Says::parked_need_is_unmet, "NeedThatWasPostedUnderAnId", "parked_need_is_unmet",
     forged("demo/capture/9:a", "'demo/capture/9'", "demo:clearing", "user:1", "1"), "demo/r1"},

    {Says::unfinished_has_its_bytes, "NoBytes", "unfinished_has_its_bytes",
     "DELETE FROM open_deliveries", "demo/r1"},
    {Says::unfinished_has_its_bytes, "BytesThatWereEdited", "unfinished_has_its_bytes",
     "UPDATE open_deliveries SET body = overlay(body PLACING 'x' FROM 4)", "demo/r1"},
    {Says::unfinished_has_its_bytes, "BytesOfAnotherProvider", "unfinished_has_its_bytes",
     "UPDATE open_deliveries SET provider = 'other'", "demo/r1"},
    {Says::unfinished_has_its_bytes, "HashOfOtherBytes", "unfinished_has_its_bytes",
     "UPDATE webhook_intents SET body_sha256 = sha256('x') WHERE status = 'parked'", "demo/r1"},
    {Says::unfinished_has_its_bytes, "OffsetBeforeTheBody", "unfinished_has_its_bytes",
     "UPDATE webhook_intents SET item_offset = -1 WHERE status = 'parked'", "demo/r1"},
    {Says::unfinished_has_its_bytes, "OffsetBehindTheBody", "unfinished_has_its_bytes",
     "UPDATE webhook_intents SET item_offset = 2147483647 WHERE status = 'parked'", "demo/r1"},
    {Says::unfinished_has_its_bytes, "LengthBelowZero", "unfinished_has_its_bytes",
     "UPDATE webhook_intents SET item_length = -1 WHERE status = 'parked'", "demo/r1"},
    {Says::unfinished_has_its_bytes, "NoLength", "unfinished_has_its_bytes",
     "UPDATE webhook_intents SET item_length = NULL WHERE status = 'parked'", "demo/r1"},
    {Says::unfinished_has_its_bytes, "LengthBeyondTheBody", "unfinished_has_its_bytes",
     "UPDATE webhook_intents SET item_length = item_length + 1000 WHERE status = 'parked'",
     "demo/r1"},

    {Says::unfinished_will_wake, "ParkedWithoutATime", "unfinished_will_wake",
     "ALTER TABLE webhook_intents DROP CONSTRAINT webhook_intents_waiting_will_wake; UPDATE "
     "webhook_intents SET wake_at = NULL WHERE status = 'parked'",
     "webhook_intents_waiting_will_wake"},
    {Says::unfinished_will_wake, "RunThatWillNotWake", "unfinished_payment_will_wake",
     "ALTER TABLE workflow_runs DROP CONSTRAINT workflow_runs_unfinished_will_wake; UPDATE "
     "workflow_runs SET wake_at = NULL",
     "pay:o2:1"},
    {Says::unfinished_will_wake, "RunThatIsDone", "unfinished_payment_will_wake",
     "UPDATE workflow_runs SET status = 'done', wake_at = NULL", "pay:o2:1"},
    {Says::unfinished_will_wake, "PaymentWithoutARun", "unfinished_payment_will_wake",
     "DELETE FROM workflow_runs", "pay:o2:1"},
    {Says::unfinished_will_wake, "CaptureWithoutARun", "unfinished_payment_will_wake",
     capture_row("unknown", 100), "capture:o1:1:1"},
    {Says::unfinished_will_wake, "AuthorizationWithoutARun", "unfinished_payment_will_wake",
     "UPDATE payments SET capturable = 10 WHERE payment_id = 'p1'", "pay:o1:1"},
    {Says::unfinished_will_wake, "RefundWithoutARun", "unfinished_payment_will_wake",
     "UPDATE refunds SET state = 'calling'", "refund:o1:1"},

    {Says::chain_is_unbroken, "TransferThatWasEdited", "transfers_chain_is_unbroken",
     "UPDATE transfers SET occurred_at = now() WHERE event_id = 'e1'", "does not fit", false, true},
    {Says::chain_is_unbroken, "TransferThatWasCut", "transfers_chain_is_unbroken",
     "DELETE FROM transfers WHERE event_id = 'e1'", "rows were cut", false, true},
    {Says::chain_is_unbroken, "LastTransferThatWasCut", "transfers_chain_is_unbroken",
     "DELETE FROM transfers WHERE id = (SELECT max(id) FROM transfers)", "were cut", false, true},
    {Says::chain_is_unbroken, "TransferThatWasInserted", "transfers_chain_is_unbroken",
     forged("demo/capture/8", "'demo/capture/8'", "demo:clearing", "user:8", "1"), "in no chain",
     false, true},
    {Says::chain_is_unbroken, "AuditEntryThatWasEdited", "audit_chain_is_unbroken",
     "UPDATE audit_log SET reason = 'another' WHERE action = 'transfer.post'", "does not fit",
     false, true},
    {Says::chain_is_unbroken, "AuditEntryThatWasCut", "audit_chain_is_unbroken",
     "DELETE FROM audit_log WHERE action = 'transfer.post'", "cut", false, true},
};

// Order o1, paid with 100 of which 30 were refunded; o2, whose payment has not ended.
constexpr const char* payment_rows = R"(
INSERT INTO orders (order_id, amount, currency, account, gateway, captured, returned, state,
                    created_at, updated_at)
VALUES ('o1', 100, 'USD', 'user:p', 'sandbox', 100, 30, 'partially_refunded', now(), now()),
       ('o2', 100, 'USD', 'user:p', 'sandbox', 0, 0, 'open', now(), now());
INSERT INTO payments (payment_id, order_id, attempt, key, gateway, books, state, amount, currency,
                      account, reference, payment_key, captured, returned, correlation_id,
                      created_at, updated_at)
VALUES ('p1', 'o1', 1, 'pay:o1:1', 'sandbox', 'sandbox', 'partially_refunded', 100, 'USD',
        'user:p', 'pi_1', 'sandbox/capture/pi_1', 100, 30, 'c', now(), now()),
       ('p2', 'o2', 1, 'pay:o2:1', 'sandbox', 'sandbox', 'unknown', 100, 'USD',
        'user:p', NULL, NULL, 0, 0, 'c', now(), now());
INSERT INTO refunds (refund_id, payment_id, order_id, n, key, state, amount, currency, reference,
                     correlation_id, created_at, updated_at)
VALUES ('r1', 'p1', 'o1', 1, 'refund:o1:1', 'succeeded', 30, 'USD', 're_1', 'c', now(), now());
INSERT INTO workflow_runs (workflow, key, signal_key, step, status, wake_at, correlation_id,
                           created_at, updated_at)
VALUES ('charge_order', 'pay:o2:1', 'pay:o2:1', 'look_up', 'running', now(), 'c', now(), now());
)";

// Books that only Pawl wrote: events of each outcome, a payment and its refund, an operator's
// entry. Where they are chained, all but the first event is new since the last proof.
class SoundBooks {
  public:
    explicit SoundBooks(bool chained) {
        if (chained) {
            std::string made = testing::scratch_root() + "/pawl-finds-XXXXXX";
            folder_ = mkdtemp(made.data());
            db::SessionOptions options = database.options();
            options.finds_by_key = false;
            options.chain = std::make_shared<db::ChainWriter>(
                folder_, chain::Keys::from({std::string(32, 'a')}).value());
            session.emplace(options);
        } else {
            session.emplace(database.options());
        }
        testing::commit(*session, {testing::deliver({testing::event({"e0", "capture/0"})})});
        if (chained) prove(*session);
        receive();
        pay();
        apply_transfer_act(*session,
                           PostEntry{"T-1", AccountId("promo"), AccountId("user:2"), usd(5)},
                           {"ana", "goodwill"}, SystemClock().now());
    }
    ~SoundBooks() {
        session.reset();
        if (!folder_.empty()) fs::remove_all(folder_);
    }

    testing::TestDatabase database;
    std::optional<db::Session> session;

  private:
    static void prove(db::Session& session) {
        EXPECT_TRUE(holds(intents::prove(session, Depth::since_last_proof).invariants));
    }
    static Money usd(std::int64_t minor) { return {minor, Currency::parse("USD").value()}; }

    void receive() {
        const auto total = [](const char* id, std::int64_t so_far) {
            return testing::deliver({testing::event(
                {.id = id, .effect = "capture/t", .amount = so_far, .total = true})});
        };
        testing::commit(*session,
                        {testing::deliver({testing::event({"e1", "capture/1"})}),
                         testing::deliver({testing::event({"e2", "capture/2"})}),
                         testing::deliver({testing::event({"e3", "capture/2"})}), total("t1", 60),
                         total("t2", 100), total("t3", 100),
                         testing::deliver({testing::unreadable("no_rule", "x")}),
                         testing::deliver({testing::event(
                             {.id = "r1", .effect = "refund/9", .needs = {"capture/9"}})})});
    }
    void post(const ledger::Entry& entry) {
        db::in_transaction(*session, [&](db::Transaction& transaction) {
            const auto posted =
                post_money(transaction, entry, CorrelationId("c"), SystemClock().now());
            EXPECT_EQ(posted.outcome, ledger::Outcome::applied);
        });
    }
    void pay() {
        database.run(payment_rows);
        const EffectKey capture("sandbox/capture/pi_1");
        post({"sandbox",
              {{ledger::Kind::credit, AccountId("user:p"), usd(100), capture}},
              {},
              ledger::ByPayment{"p1"}});
        ledger::Entry refund{
            "sandbox",
            {{ledger::Kind::debit, AccountId(), usd(30), EffectKey("sandbox/refund/re_1")}},
            {},
            ledger::ByRefund{"r1"}};
        refund.needs = {capture};
        refund.payment_key = capture;
        post(refund);
        database.run("UPDATE workflow_signals SET taken_at = now()");  // its run has consumed them
    }

    std::string folder_;
};

// The findings of one invariant; of any other name: whether it is kept.
std::string findings(db::Session& session, Depth depth, const std::string& invariant) {
    std::string all;
    for (const Invariant& one : prove(session, depth).invariants) {
        if (one.name != invariant) continue;
        for (const Breach& breach : one.breaches) all += breach.subject + ": " + breach.what + "\n";
    }
    return all;
}

TEST(VerifyFindsNothing, InBooksThatOnlyPawlWrote) {
    for (const bool chained : {false, true}) {
        SoundBooks books(chained);
        for (const Depth depth : {Depth::since_last_proof, Depth::deep}) {
            for (const Invariant& one : prove(*books.session, depth).invariants) {
                EXPECT_TRUE(one.breaches.empty())
                    << one.name << ": " << one.breaches[0].subject << " " << one.breaches[0].what;
            }
        }
    }
}

TEST(VerifySentences, EachHasATamperingAndThereAreFortyAndMore) {
    std::map<Says, int> tampered;
    for (const Tampering& one : tamperings) ++tampered[one.says];
    for (int says = 0; says < static_cast<int>(Says::count); ++says) {
        EXPECT_GT(tampered[static_cast<Says>(says)], 0) << says;
    }
    EXPECT_GE(tamperings.size(), 40U);
}

class VerifyFinds : public ::testing::TestWithParam<Tampering> {};

TEST_P(VerifyFinds, AndNamesTheTampering) {
    const Tampering& tampering = GetParam();
    for (const bool chained : {false, true}) {
        if (tampering.chained_only && !chained) continue;
        SoundBooks books(chained);
        books.database.run(tampering.sql);
        for (const Depth depth : {Depth::since_last_proof, Depth::deep}) {
            const std::string found = findings(*books.session, depth, tampering.invariant);
            EXPECT_NE(found.find(tampering.names), std::string::npos)
                << (chained ? "chained " : "") << (depth == Depth::deep ? "deep" : "new rows")
                << "\n"
                << found;
            if (chained || tampering.for_attention) continue;
            EXPECT_FALSE(holds(verify(*books.session, depth)));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Each, VerifyFinds, ::testing::ValuesIn(tamperings),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace pawl::intents
